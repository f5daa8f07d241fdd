import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { callModule } from '../../../src/places/local/module-function.ts';
import type { ModuleSource } from '../../../src/core/records/call.ts';
import { NO_SECRETS, type Secrets } from '../../../src/core/records/secrets.ts';
import type { FunctionCall } from '../../../src/core/tool-contracts/tool.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const FILE = 'tools/f.ts';

async function callIn(
  root: string,
  call: Partial<FunctionCall> = {},
  module: ModuleSource = { file: FILE },
  secrets: Secrets = NO_SECRETS,
) {
  const whole: FunctionCall = {
    name: 'f',
    source: module,
    arguments: {},
    seconds: 30,
    signal: new AbortController().signal,
    tell() {},
    ...call,
  };
  const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'secret', HOME: '/home/x' };
  return callModule(module, whole, { root, env, secrets, assertMayStart: async () => {} });
}

async function callWith(source: string, call: Partial<FunctionCall> = {}, others = {}) {
  return callIn(await tempFolder({ [FILE]: source, ...others }), call);
}

/** Calls a module whose variables refer to a secret, the only one that there is. */
async function callWithSecret(source: string, call: Partial<FunctionCall> = {}) {
  const root = await tempFolder({ [FILE]: source });
  const env = { TOKEN: 'Bearer ${SHOP_TOKEN}', TABLE: 'articles' };
  const secret = (name: string) => Promise.resolve(name === 'SHOP_TOKEN' ? 'ca"nary' : undefined);
  return callIn(root, call, { file: FILE, env }, { ...NO_SECRETS, secret });
}

describe('a module', () => {
  test('in TypeScript is called with the arguments, and what it imports comes with it', async () => {
    const source = `import { double } from './double.ts';
      export async function handler({ n }: { n: number }) { return { doubled: double(n) }; }`;
    const others = { 'tools/double.ts': 'export const double = (n: number): number => 2 * n;' };
    expect(await callWith(source, { arguments: { n: 21 } }, others)).toEqual({ value: { doubled: 42 } });
  });

  test('gets the part of the context of Lambda that makes sense here', async () => {
    const source = `export const handler = (_, { functionName, awsRequestId, getRemainingTimeInMillis }) =>
      [functionName, awsRequestId.length, getRemainingTimeInMillis() > 1000];`;
    expect(await callWith(source)).toEqual({ value: ['f', 36, true] });
  });

  test('runs in the folder of the agents, without our keys', async () => {
    const source = `export const handler = () => [process.cwd(), process.env.HOME, process.env.OPENAI_API_KEY ?? null];`;
    const root = await tempFolder({ [FILE]: source });
    expect(await callIn(root)).toEqual({ value: [root, '/home/x', null] });
  });

  test('gets its own variables besides, with secrets in their places', async () => {
    const source = `export const handler = () =>
      [process.env.TABLE, process.env.TOKEN === 'Bearer ca"nary', process.env.SHOP_TOKEN ?? null];`;
    expect(await callWithSecret(source)).toEqual({ value: ['articles', true, null] });
  });

  test.each([
    ['gives back', 'return { is: process.env.TOKEN, n: 1 };', { value: '{"is":"Bearer [secret]","n":1}' }],
    ['throws', 'throw new Error(process.env.TOKEN);', { failed: 'Error: Bearer [secret]' }],
    [
      'prints before it ends',
      'process.stdout.write(process.env.TOKEN); process.stdout.end(); process.exitCode = 3; process.disconnect(); await new Promise(() => {});',
      { failed: 'its process ended with exit code 3 before it answered: Bearer [secret]' },
    ],
  ])('that %s a secret is told of without it', async (_, code, result) => {
    const told: string[] = [];
    const source = `export const handler = async () => { ${code} };`;
    expect(await callWithSecret(source, { tell: (text) => told.push(text) })).toEqual(result);
    expect(told.join('')).not.toContain('nary');
  });

  test('is not started without a secret that it needs, which is named', async () => {
    const root = await tempFolder({ [FILE]: `export const handler = () => 1;` });
    const module = { file: FILE, env: { A: 'x ${GONE}' } };
    expect(await callIn(root, {}, module)).toEqual({
      failed: 'it needs the secret GONE: there are none here',
    });
  });

  test.each([
    ['a text', '"text"', 'text'],
    ['nothing', 'undefined', null],
    ['a date', 'new Date(0)', '1970-01-01T00:00:00.000Z'],
  ])('gives back %s as JSON would', async (_, code, value) => {
    expect(await callWith(`export const handler = () => ${code};`)).toEqual({ value });
  });

  test('is told of as it prints', async () => {
    const told: string[] = [];
    const source = `export const handler = () => { console.log('one'); console.error('two'); };`;
    await callWith(source, { tell: (text) => told.push(text) });
    expect(told.join('').split('\n').sort()).toEqual(['', 'one', 'two']);
  });

  test.each<[string, string, string | RegExp]>([
    ['throws', `export const handler = () => { throw new RangeError('too far'); };`, 'RangeError: too far'],
    ['has no handler', 'export const x = 1;', 'TypeError: the module exports no function "handler"'],
    ['gives back what is no JSON', 'export const handler = () => 1n;', /^TypeError: .*BigInt/],
    [
      'gives back too much',
      `export const handler = () => 'x'.repeat(7_000_000);`,
      'its result is larger than 6 MB',
    ],
    [
      'ends its process',
      `export const handler = () => { console.log('bye'); process.exit(3); };`,
      'its process ended with exit code 3 before it answered: bye',
    ],
    [
      'fails to load',
      `throw new Error('no config'); export const handler = () => 1;`,
      /exit code 1 .*no config/s,
    ],
    ['is not TypeScript', 'export const = 1;', /^tools\/f\.ts:1:14: Expected identifier/],
    [
      'imports what is not there',
      `import 'gone'; export const handler = () => 1;`,
      /^tools\/f\.ts:1:8: .*"gone"/,
    ],
  ])('that %s is told of in words', async (_, source, words) => {
    expect(await callWith(source)).toEqual({
      failed: typeof words === 'string' ? words : expect.stringMatching(words),
    });
  });

  test('that is not there, or elsewhere behind a link, is told of in words', async () => {
    const outside = await tempFolder({ 'x.ts': 'export const handler = () => 1;' });
    const root = await tempFolder({ 'tools/link.ts': { linkTo: join(outside, 'x.ts') } });
    expect(await callIn(root)).toEqual({ failed: 'module tools/f.ts: not found' });
    expect(await callIn(root, {}, { file: 'tools/link.ts' })).toEqual({
      failed: `module tools/link.ts leads out of ${root}`,
    });
  });

  test.each([
    ['a device', '/dev/zero', 'it is no package, and lies outside of <root>'],
    ['a file of its user', '<outside>/secret.json', 'it is no package, and lies outside of <root>'],
    ['one behind a link', './link.json', 'it is no package, and lies outside of <root>'],
    [
      'one that a link passes off as a package',
      'passed/secret.json',
      'it is no package, and lies outside of <root>',
    ],
    ['a pipe', './pipe.ts', 'it is not a regular file'],
  ])('is not bundled with %s', async (_, imported, fault) => {
    const outside = await tempFolder({ 'secret.json': '{}' });
    const root = await tempFolder({
      'tools/link.json': { linkTo: join(outside, 'secret.json') },
      'node_modules/passed': { linkTo: outside },
      [FILE]: `import x from '${imported.replace('<outside>', outside)}'; export const handler = () => x;`,
    });
    execFileSync('mkfifo', [join(root, 'tools/pipe.ts')]);
    const { failed } = v.parse(v.object({ failed: v.string() }), await callIn(root));
    expect(failed).toMatch(/^tools\/f\.ts:1:15: cannot import /);
    expect(failed).toContain(`: ${fault.replace('<root>', root)}`);
  });

  test('may import what lies elsewhere in its repository, and packages that are installed above it', async () => {
    const repository = await tempFolder({
      '.git/HEAD': '',
      'node_modules/pack/package.json': '{"name":"pack","main":"main.js"}',
      'node_modules/pack/main.js': 'export const two = 2;',
      'shared/three.ts': 'export const three: number = 3;',
      [`app/${FILE}`]: `import { two } from 'pack'; import { three } from '../../shared/three.ts';
        export const handler = () => two * three;`,
    });
    expect(await callIn(join(repository, 'app'))).toEqual({ value: 6 });
  });

  test('is ended with all that it started once the call is stopped', async () => {
    const seconds = ownSleep();
    const stop = new AbortController();
    const source = `import { spawn } from 'node:child_process';
      export async function handler() {
        spawn('sleep', ['${seconds}'], { detached: true }).on('spawn', () => console.log('ready'));
        await new Promise(() => setInterval(() => {}, 1000));
      }`;
    const calling = callWith(source, { signal: stop.signal, tell: () => stop.abort(new Error('stopped')) });
    await expect(calling).rejects.toThrow('stopped');
    expect(running(seconds)).toEqual([]);
  });
});
