import { expect, test } from 'vitest';
import type { FunctionTarget } from '../../../src/core/records/call.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { callFunction, MAX_PAYLOAD_BYTES } from '../../../src/core/tool-contracts/call-function.ts';
import type { ToolArguments, ToolContext } from '../../../src/core/tool-contracts/tool.ts';
import type { Json } from '../../../src/json.ts';
import { png } from '../../fixtures/images.ts';

const definition = {
  name: 'lookup',
  description: '',
  parameters: { type: 'object' as const, properties: { id: { type: 'string' as const } }, required: ['id'] },
};
const target: FunctionTarget = {
  kind: 'function',
  source: { file: 'lookup.ts' },
  seconds: seconds(3),
  isRepeatable: false,
  writes: false,
};

/** Calls a function that gives this, with what it is asked. */
async function called(
  given: { value: Json } | { failed: string } | undefined,
  args: ToolArguments = { id: 'a' },
) {
  const asked: unknown[] = [];
  const context = {
    signal: new AbortController().signal,
    ...(given !== undefined && {
      callFunction: async ({ signal: _signal, ...call }: object & { signal?: unknown }) => {
        asked.push(call);
        return given;
      },
    }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a call of a function uses no other part
  const output = await callFunction(definition, target, args, context as unknown as ToolContext);
  return { output, asked };
}

const failure = (text: string) => ({ text: `Error: ${text}`, isError: true });

test('a function is called with arguments that fit, and no others', async () => {
  expect(await called({ value: 'found' })).toEqual({
    output: { text: 'found' },
    asked: [{ name: 'lookup', source: target.source, arguments: { id: 'a' }, seconds: 3, tell: undefined }],
  });
  expect(await called({ value: '' }, { id: 1 })).toEqual({
    output: failure('the arguments of lookup do not fit its parameters: argument "id" must be text, not 1'),
    asked: [],
  });
  expect(await called(undefined)).toEqual({ output: failure('lookup cannot be called here'), asked: [] });
});

test.each<[string, { value: Json } | { failed: string }, object]>([
  ['null', { value: null }, { text: 'null' }],
  ['an object', { value: { a: [1] } }, { text: '{"a":[1]}' }],
  ['a plain error', { failed: 'Error: no such id' }, failure('lookup failed - no such id')],
  ['another error', { failed: 'TypeError: Error: no' }, failure('lookup failed - TypeError: Error: no')],
  [
    'what only looks like a file',
    { value: { attachments: [{ data: 'YQ==' }] } },
    { text: '{"attachments":[{"data":"YQ=="}]}' },
  ],
  ['no files', { value: { text: 'a', attachments: [] } }, { text: '{"text":"a","attachments":[]}' }],
])('its result is what it gives: %s', async (_, given, output) => {
  expect((await called(given)).output).toEqual(output);
});

test('its result shows files in words, and has them', async () => {
  const data = png(2, 2).toString('base64');
  const { output } = await called({ value: { text: 'here:', attachments: [{ data }] } });
  expect(output.text.split('\n')[0]).toBe('here:');
  expect(output.attachments).toHaveLength(1);
  const { output: bare } = await called({ value: { attachments: [{ data }, { data }] } });
  expect([bare.text.split('\n').length, bare.attachments?.length, bare.text.startsWith('\n')]).toEqual([
    2,
    2,
    false,
  ]);
});

test('neither arguments nor results are larger than a call of Lambda', async () => {
  const around = JSON.stringify({ id: '' }).length;
  const text = 'x'.repeat(MAX_PAYLOAD_BYTES);
  const most = { id: text.slice(around) };
  expect(await called({ value: text }, most)).toMatchObject({ output: { text }, asked: [{}] });
  expect(await called({ value: '' }, { id: `${most.id}x` })).toEqual({
    output: failure('the arguments of lookup are larger than 6 MB'),
    asked: [],
  });
  expect((await called({ value: `${text}x` })).output).toEqual(
    failure('the result of lookup is larger than 6 MB: ask it for less'),
  );
});
