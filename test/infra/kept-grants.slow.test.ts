import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forgetGrants } from '../../src/places/aws/kept-grants.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { synthesise } from './synthesise.ts';

const agent = (model: string, functionName: string, guardrail: string) =>
  `name = "a"\nmodel = "bedrock/${model}"\n[guardrail]\nid = "${guardrail}"\nversion = "1"\n[[functions]]\nname = "f"\ndescription = "x"\nfunction = "${functionName}"\n`;

test('the model, the function and the guardrail of an earlier deployment stay granted until they are forgotten', async () => {
  const keptGrants = join(await tempFolder({}), 'cadre.grants.json');
  const granted = async (model: string, functionName: string, guardrail: string) => {
    const agents = { a: agent(model, functionName, guardrail) };
    const { grantsOf } = await synthesise('dev', { agents, settings: { keptGrants } });
    const ends = (role: string, action: string) =>
      grantsOf(role).flatMap((grant) =>
        grant.action === action ? [grant.resource.replace(/^.*[/:]/, '')] : [],
      );
    return [
      ends('FunctionsTurn', 'bedrock:InvokeModel'),
      ends('FunctionsTool', 'lambda:InvokeFunction'),
      ends('FunctionsTurn', 'bedrock:ApplyGuardrail'),
    ].flat();
  };
  expect(await granted('x.one', 'first', 'g1')).toEqual(['x.one', 'first', 'g1']);
  expect(await granted('x.two', 'second', 'g2')).toEqual(['x.one', 'x.two', 'first', 'second', 'g1', 'g2']);
  const today = new Date().toISOString().slice(0, 10);
  expect(JSON.parse(await readFile(keptGrants, 'utf8'))).toEqual({
    dev: {
      models: { 'bedrock/x.one': today, 'bedrock/x.two': 'named' },
      functions: { first: today, second: 'named' },
      guardrails: { g1: today, g2: 'named' },
    },
  });
  // None has been out of use for long enough.
  expect(forgetGrants(keptGrants, 'dev', '2000-01-01', false)).toEqual([]);
  expect(forgetGrants(keptGrants, 'dev', '2999-01-01', true)).toEqual(['bedrock/x.one', 'first', 'g1']);
  expect(forgetGrants(keptGrants, 'dev', '2999-01-01', false)).toEqual(['bedrock/x.one', 'first', 'g1']);
  expect(await granted('x.two', 'second', 'g2')).toEqual(['x.two', 'second', 'g2']);
});
