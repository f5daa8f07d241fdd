import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { beginProject, synth } from './project.ts';

// The first hour of an engineer who deploys agents to AWS: each test is a step of it. There is no account.

const STOCK = `name = "stock"
model = "offline/extractive"
[[functions]]
name = "pieces"
description = "Tells how many pieces there are"
file = "tools/pieces.ts"
parameters = { type = "object", properties = {} }
`;
const FILES = {
  'agents/stock.toml': STOCK,
  'tools/pieces.ts': 'export const handler = () => process.env["ARTICLES"] ?? "none";\n',
};

const Template = v.object({ Resources: v.record(v.string(), v.object({ Type: v.string() })) });
test('synthesises a stack of their own, in which a tool reads a table', async () => {
  const project = await beginProject(FILES);
  const app = await readFile(join(project.folder, 'infra/app.ts'), 'utf8');
  await project.write(
    'infra/app.ts',
    `import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
${app.replace('new CadreEnvironment', 'const cadre = new CadreEnvironment')}
const articles = new Table(stack, 'Articles', { partitionKey: { name: 'id', type: AttributeType.STRING } });
cadre.functions.pieces.addEnvironment('ARTICLES', articles.tableName);
articles.grantReadData(cadre.functions.pieces);
`,
  );
  expect(await synth(project)).toMatchObject({ code: 0 });
  const template = await readFile(join(project.folder, 'cdk.out/shop-dev.template.json'), 'utf8');
  const types = Object.values(v.parse(Template, JSON.parse(template)).Resources).map(({ Type }) => Type);
  expect(types).toContain('AWS::StepFunctions::StateMachine');
  expect(template).toContain('cadre-dev-fn-pieces');
});

test.each([
  [
    'a setting',
    { environments: { dev: { runDayz: 30 } } },
    'CadreEnvironment.runDayz: unknown key, did you mean "runDays"?',
  ],
  [
    'a local agent',
    { localAgents: ['helo'] },
    'localAgents: there is no agent "helo"; did you mean "hello"?',
  ],
  ['an environment', { environments: {} }, 'cdk.json has no environment "dev"'],
])('mistypes %s in cdk.json, and reads which', async (_, change, message) => {
  const { code, err } = await synth(await beginProject(), change);
  expect([code, err]).toEqual([1, `Error: ${message}\n`]);
});

test.each([
  ['[permission]\ndeny = ["write_file"]\n', '8:2: unknown key "permission", did you mean "permissions"?'],
  [
    '[permissions]\ndeny = ["write_fil"]\n',
    '9:9: permissions.deny[0]: unknown tool "write_fil"; did you mean "write_file"?',
  ],
  ['[budget]\nmax_us = 1\n', '9:1: unknown key "budget.max_us", did you mean "budget.max_usd"?'],
])('mistypes %j in an agent, which check refuses with the place', async (typo, message) => {
  const project = await beginProject({ ...FILES, 'agents/stock.toml': STOCK + typo });
  const fault = `agents/stock.toml:${message}`;
  const checked = await project.cadre('agents', 'check');
  expect(checked).toMatchObject({ code: 2, err: expect.stringContaining(fault) });
});

test('plans what an agent can come to at most, with and without a budget', async () => {
  const project = await beginProject(FILES);
  const turns = async () =>
    /^ +turns +(.*)$/m.exec((await project.cadre('plan', 'stock')).out)?.[1]?.split(/ +/);
  expect(await turns()).toEqual(['11', '50', '50']);
  await project.write('agents/stock.toml', `${STOCK}[budget]\nmax_turns = 4\n`);
  expect(await turns()).toEqual(['4', '4', '4']);
});
