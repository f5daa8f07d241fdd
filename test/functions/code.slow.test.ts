import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { functionOptions, root } from '../../scripts/bundle-options.mjs';
import { FUNCTIONS } from '../../src/authoring/plan/functions.ts';
import { NAMES, type Name } from './names.ts';

/** Commands whose actions have other names. */
const ACTION_OF: Record<string, string> = {
  Converse: 'InvokeModel',
  ConverseStream: 'InvokeModelWithResponseStream',
  HeadObject: 'GetObject',
  Invoke: 'InvokeFunction',
  InvokeWithResponseStream: 'InvokeFunction',
  ListObjectsV2: 'ListBucket',
};

/** Code that a bundle carries and never runs: a port's whole adapter comes with the part that is used. */
const CODE_NOT_REACHED: Record<Name, string[]> = {
  api: ['DeleteObject'],
  batch: [
    'ApplyGuardrail',
    'Converse',
    'ConverseStream',
    'CountTokens',
    'DeleteObject',
    'DescribeExecution',
    'StopExecution',
  ],
  control: ['DeleteObject'],
  doors: ['DeleteObject'],
  notify: ['DeleteItem', 'DeleteObject', 'PutObject', 'UpdateItem'],
  open: ['DeleteItem', 'DeleteObject'],
  settle: ['DeleteObject', 'PutObject'],
  telemetry: ['DeleteItem', 'DeleteObject', 'PutItem', 'PutObject', 'UpdateItem'],
  tool: [],
  turn: ['DeleteObject'],
  watch: ['DeleteItem', 'DeleteObject', 'PutObject', 'StartExecution', 'StopExecution'],
};

/** What Lambda does in the name of a function: it hands over events that the function could not handle, and reads streams. */
const BY_LAMBDA = ['SendMessage', 'DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];

/** The files that a function's code is bundled into, without the SDK: bundled once for each. */
const bundled = new Map<Name, Promise<Map<string, string>>>();

async function bundle(name: Name): Promise<Map<string, string>> {
  const options = functionOptions(name, 'nowhere');
  const external = [...options.external, '@aws-sdk/*'];
  const { outputFiles } = await build({ ...options, external, sourcemap: false, write: false });
  return new Map(outputFiles.map(({ path, text }) => [path, text]));
}

/** A function's code, as far as it is loaded: those files that `imports` finds the names of. */
async function codeOf(name: Name, imports: RegExp): Promise<string[]> {
  const bundling = bundled.get(name) ?? bundle(name);
  bundled.set(name, bundling);
  const files = await bundling;
  const read = new Map<string, string>();
  const follow = (path: string): void => {
    if (read.has(path)) return;
    const code = files.get(path) ?? '';
    read.set(path, code);
    for (const [, file = ''] of code.matchAll(imports)) follow(join(dirname(path), file));
  };
  follow(join(root, 'nowhere', 'index.mjs'));
  return [...read.values()];
}

test.each(NAMES)('a function may ask for exactly what its code can: %s', async (name) => {
  const code = (await codeOf(name, /\b(?:from|import)\(?"(\.[^"]+)"/g)).join('\n');
  const commands = [...code.matchAll(/\b([A-Z][A-Za-z0-9]*)Command\b|\bpaginate([A-Z]\w+)/g)].map(
    ([, command, list]) => command ?? list ?? '',
  );
  const { may } = FUNCTIONS[name];
  const known = new Set(
    Object.values(may)
      .flat()
      .map((action: string) => action.replace(/^\w+:/, '')),
  );
  const others = [...new Set(commands)].filter((command) => !known.has(ACTION_OF[command] ?? command));
  expect(others.sort()).toEqual(CODE_NOT_REACHED[name].sort());
  const used = new Set([...commands.map((command) => ACTION_OF[command] ?? command), ...BY_LAMBDA]);
  expect([...known].filter((action) => !used.has(action))).toEqual([]);
});

test.each(NAMES)('a cold start reads 108 KB at most beside the SDK: %s', async (name) => {
  const files = await codeOf(name, /\b(?:from|import)"(\.[^"]+)"/g);
  const bytes = files.reduce((sum, code) => sum + Buffer.byteLength(code), 0);
  expect(bytes).toBeLessThanOrEqual(108 * 1024);
});
