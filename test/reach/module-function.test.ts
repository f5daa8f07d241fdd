import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callModule } from '../../src/reach/module-function.ts';
import type { FunctionCall } from '../../src/tools/tool.ts';
import { ownSleep, running } from '../fixtures/running-processes.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const FILE = 'tools/f.ts';

async function callIn(root: string, call: Partial<FunctionCall> = {}, file = FILE) {
  const whole: FunctionCall = {
    name: 'f',
    source: { file },
    arguments: {},
    seconds: 30,
    signal: new AbortController().signal,
    tell() {},
    ...call,
  };
  const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'secret', HOME: '/home/x' };
  return callModule(file, whole, { root, env });
}

async function callWith(source: string, call: Partial<FunctionCall> = {}, others = {}) {
  return callIn(await tempFolder({ [FILE]: source, ...others }), call);
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
    expect(await callIn(root, {}, 'tools/link.ts')).toEqual({
      failed: `module tools/link.ts leads out of ${root}`,
    });
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
