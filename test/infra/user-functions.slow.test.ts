import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { assert, describe, expect, test, vi } from 'vitest';
import { loadDeployedAgents } from '../../infra/deployed-agents.ts';
import { modulesOf, stageModules } from '../../infra/user-modules.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { synthesiseStack } from '../rehearsal/stack.ts';
import { readable, synthesise } from './synthesise.ts';

const agent = (name: string, ...functions: string[]) =>
  [`name = "${name}"\nmodel = "openai/gpt-5.1"`, ...functions.map((text) => `[[functions]]\n${text}`)].join(
    '\n',
  );
const fn = (name: string, source: string) => `name = "${name}"\ndescription = "Does ${name}"\n${source}`;
const ARN = 'arn:aws:lambda:eu-west-1:210987654321:function:theirs:live';
const modules = { 'tools/f.ts': 'export const handler = ({ n }: { n: number }) => ({ twice: 2 * n });' };
const agents = {
  a: agent('a', fn('weather', 'file = "tools/f.ts"\ntimeout = 20'), fn('stock', 'function = "team-stock"')),
  b: agent('b', fn('weather', 'file = "tools/f.ts"\ntimeout = 60'), fn('theirs', `function = "${ARN}"`)),
  c: agent('c', fn('stock2', 'function = "team-stock"'), fn('live', 'function = "team-stock:live"')),
};

describe("functions of the user's own", () => {
  test('are made of modules, once for all agents, with the longest of their times', async () => {
    const { resources } = await synthesise('dev', { agents, modules });
    const made = [...resources('AWS::Lambda::Function').values()]
      .map(({ Properties }) => Properties)
      .filter(({ FunctionName }) => String(FunctionName).includes('-fn-'));
    expect(made).toEqual([
      expect.objectContaining({
        FunctionName: 'cadre-dev-fn-weather',
        Description: 'Does weather',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Timeout: 60,
      }),
    ]);
    expect(made[0]).not.toHaveProperty('TracingConfig');
  });

  test('may have names as long as Lambda takes', async () => {
    const name = 'x'.repeat(64 - 'cadre-dev-fn-'.length);
    const { resources } = await synthesise('dev', {
      agents: { a: agent('a', fn(name, 'file = "tools/f.ts"')) },
      modules,
    });
    const names = [...resources('AWS::Lambda::Function').values()].map(
      ({ Properties }) => Properties['FunctionName'],
    );
    expect(names).toContain(`cadre-dev-fn-${name}`);
  });

  test('may be many: what is known of them fits into the 4 KB of variables that Lambda takes', async () => {
    const tools = Array.from({ length: 60 }, (_, index) =>
      fn(`function_of_ours_${index}`, 'file = "tools/f.ts"'),
    );
    const many = Array.from({ length: 6 }, (_, index) => {
      const name = `agent-${index}`;
      return [name, agent(name, ...tools.slice(10 * index, 10 * index + 10))];
    });
    const folder = await tempFolder();
    const sources = { f: modules['tools/f.ts'] };
    const stack = await synthesiseStack(
      'dev',
      folder,
      { agents: Object.fromEntries(many), modules: sources },
      1,
    );
    const tool = stack
      .resources('AWS::Lambda::Function')
      .find((made) => made['FunctionName'] === 'cadre-dev-tool');
    const { Variables } = v.parse(
      v.object({ Variables: v.record(v.string(), v.string()) }),
      tool?.['Environment'],
    );
    expect(Variables['CADRE_FUNCTIONS']).toContain('"fn-function_of_ours_59":"1"');
    expect(JSON.stringify(Variables).length).toBeLessThanOrEqual(4_096);
  });

  test('may do nothing but write their own log', async () => {
    const { grantsOf, resources } = await synthesise('dev', { agents, modules });
    expect(grantsOf('UserFunctions')).toEqual([
      { action: 'logs:CreateLogStream', resource: expect.stringMatching(/^<UserFunctionsweatherPartsLog/) },
      { action: 'logs:PutLogEvents', resource: expect.stringMatching(/^<UserFunctionsweatherPartsLog/) },
    ]);
    const roles = [...resources('AWS::IAM::Role')].filter(([id]) => id.startsWith('UserFunctions'));
    expect(roles).toHaveLength(1);
    expect(roles[0]?.[1].Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  test('are all that may be invoked, by the function of tools alone', async () => {
    const { grantsOf, resources } = await synthesise('dev', { agents, modules });
    const arn = (name: string) =>
      `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${name}`;
    const invocations = (role: string) => grantsOf(role).filter(({ action }) => action.startsWith('lambda:'));
    expect(invocations('FunctionsTool').map(({ action, resource }) => `${action} ${resource}`)).toEqual(
      [
        '<UserFunctionsweather.Arn>',
        '<UserFunctionsweather.Arn>:*',
        arn('team-stock'),
        ARN,
        arn('team-stock:live'),
      ].map((resource) => `lambda:InvokeFunction ${resource}`),
    );
    for (const role of ['FunctionsOpen', 'FunctionsTurn', 'FunctionsSettle', 'FunctionsControl']) {
      expect(invocations(role)).toEqual([]);
    }
    expect(invocations('FunctionsApi').map(({ resource }) => resource)).toEqual(['<FunctionsControl.Arn>']);
    expect(
      [...resources('AWS::Lambda::Permission').values()].map(({ Properties }) =>
        readable(Properties['FunctionName']),
      ),
    ).not.toContain('<UserFunctionsweather.Arn>');
  });

  test('get the variables that are written out, but for those that Lambda has of its own', async () => {
    const env = 'file = "tools/f.ts"\nenv = { UNIT = "C", AWS_REGION = "eu-central-1", AWS_PROFILE = "dev" }';
    const { resources } = await synthesise('dev', { agents: { a: agent('a', fn('weather', env)) }, modules });
    const [made] = [...resources('AWS::Lambda::Function').values()]
      .map(({ Properties }) => Properties)
      .filter(({ FunctionName }) => FunctionName === 'cadre-dev-fn-weather');
    expect(made?.['Environment']).toEqual({
      Variables: {
        CADRE_ENVIRONMENT: 'dev',
        CADRE_LOG_LEVEL: 'info',
        NODE_OPTIONS: '--enable-source-maps',
        UNIT: 'C',
      },
    });
  });

  test('need the app to set what refers to a secret, which is looked up nowhere', async () => {
    vi.stubEnv('SHOP_TOKEN', 'canary');
    const env = 'file = "tools/f.ts"\nenv = { UNIT = "C", TOKEN = "${SHOP_TOKEN}" }';
    const synthesised = synthesise('dev', { agents: { a: agent('a', fn('weather', env)) }, modules });
    await expect(synthesised).rejects.toThrow(
      `function "weather" needs the variable TOKEN: set it in the app with cadre.functions['weather'].addEnvironment('TOKEN', …), or keep its agents out of accounts (localAgents)`,
    );
    await expect(synthesised).rejects.not.toThrow('canary');
  });

  test('are bundled so that they run by themselves', async () => {
    const project = await tempFolder({
      'agents/a.toml': agents.a,
      ...modules,
    });
    const folder = join(project, 'staged');
    const agentsFolder = join(project, 'agents');
    const loaded = await loadDeployedAgents({ agentsFolder, cwd: project });
    await stageModules(folder, modulesOf(loaded), project);
    const bundle = join(folder, 'fn-weather/index.mjs');
    expect(await readFile(bundle, 'utf8')).not.toContain('number }');
    const script = `console.log((await import(${JSON.stringify(pathToFileURL(bundle).href)})).handler({ n: 4 }).twice)`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('8\n');
  });

  test.each([
    [
      { a: agent('a', fn('f', 'file = "tools/f.ts"')), b: agent('b', fn('f', 'file = "tools/g.ts"')) },
      'agents/b.toml: function "f" is tools/g.ts here and tools/f.ts for another agent: give one of them another name',
    ],
    [
      {
        a: agent('a', fn('f', 'file = "tools/f.ts"\nenv = { UNIT = "C" }')),
        b: agent('b', fn('f', 'file = "tools/f.ts"')),
      },
      'agents/b.toml: the env of function "f" is not the one that another agent gives it: give one of them another name',
    ],
    [
      { a: agent('a', fn('f', 'file = "tools/f.ts"\nenv = { _A = "b" }')) },
      'agents/a.toml:7:9: Lambda takes no variable called _A: it has to begin with a letter and have two characters or more',
    ],
    [
      { a: agent('a', fn('f', 'file = "tools/bad.ts"')) },
      'tools/bad.ts:1:14: Expected identifier but found "="',
    ],
    [
      { a: agent('a', fn('f', 'file = "tools/g.ts"')) },
      'tools/g.ts:1:1: the module exports no function "handler"',
    ],
    [
      { a: agent('a', fn('f', 'file = "tools/gone.ts"')) },
      'agents/a.toml:6:8: module tools/gone.ts: not found',
    ],
    [
      { a: agent('a', fn('x'.repeat(60), 'file = "tools/f.ts"')) },
      `function "${'x'.repeat(60)}" would be cadre-dev-fn-${'x'.repeat(60)} in Lambda, which takes 64 characters: give it a shorter name`,
    ],
  ])('stop the deployment where something is wrong with them: %#', async (broken, message) => {
    const files = { ...modules, 'tools/g.ts': '', 'tools/bad.ts': 'export const = 1;' };
    const thrown = await synthesise('dev', { agents: broken, modules: files }).catch(
      (error: unknown) => error,
    );
    assert(thrown instanceof Error);
    expect(thrown.name).toBe('ConfigError');
    expect(thrown.message.replace(/^\S*\/(?=agents\/)/, '')).toBe(message);
  });
});
