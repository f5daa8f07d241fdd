import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printEnd } from '../../../src/doors/cli/commands/follow-run.ts';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { cases } from '../../fixtures/cases.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';

const CITY =
  'schema = { type = "object", properties = { city = { type = "string" } }, required = ["city"], additionalProperties = false }';
const OUTPUT = `[output]\n${CITY}\n`;
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const ASKED_FOR = `Your final answer must be JSON that is valid against this JSON Schema, with no other text before or after it:\n\n${JSON.stringify(SCHEMA)}`;
const correction = (...faults: string[]) =>
  `[Your answer is not valid against the JSON Schema that it must have:\n${faults.map((fault) => `- ${fault}`).join('\n')}\nGive the whole answer again, as JSON and nothing else.]`;

/** Says one line after another. */
const saying =
  (...lines: string[]): Role =>
  ({ turn }) =>
    lines[turn - 1] ?? 'nothing left to say';

describe('an agent with a schema', () => {
  test('is told it, and answers with JSON, which --json carries parsed', async () => {
    const stage = await openStage(
      { top: () => '{"city": "Rome"}' },
      { top: `system_prompt = "Be brief."\n${OUTPUT}` },
    );
    const ended = await stage.run();
    expect(ended).toMatchObject({
      code: EXIT.success,
      out: '{"city": "Rome"}',
      run: { status: 'succeeded' },
    });
    expect(stage.asked.map(({ request }) => request)).toMatchObject([
      { system: `Be brief.\n\n${ASKED_FOR}`, outputSchema: SCHEMA, tools: [] },
    ]);
    const io = recordedIo(stage.cwd);
    await withEnvironment(io, {}, async (environment) =>
      showRun(ended.run.id, environment, { json: true, messages: true }, io),
    );
    expect(JSON.parse(io.out)).toMatchObject({
      output: { city: 'Rome' },
      system: `Be brief.\n\n${ASKED_FOR}`,
    });
  });

  test.each([
    ['Here it is:\n```json\n{"city": "Rome"}\n```\nThat is all.'],
    ['```\n{"city": "Rome"}\n```'],
    ['\n {"city": "Rome"}\n'],
  ])('may put its answer into a block: %j', async (text) => {
    const stage = await openStage({ top: () => text }, { top: OUTPUT });
    expect(await stage.run()).toMatchObject({ out: '{"city": "Rome"}', run: { usage: { turns: 1 } } });
  });

  test('is told once what is wrong with its answer, place by place', async () => {
    const stage = await openStage(
      { top: saying('{"city": 1, "x": 2}', '{"city": "Rome"}') },
      { top: OUTPUT },
    );
    expect(await stage.run()).toMatchObject({
      code: 0,
      out: '{"city": "Rome"}',
      run: { usage: { turns: 2 } },
    });
    expect(stage.asked[1]?.request.messages).toEqual([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '{"city": 1, "x": 2}', calls: [] },
      {
        role: 'user',
        text: correction('property "city" must be text, not 1', 'property "x" is not allowed'),
      },
    ]);
  });

  test.each([
    ['Rome', 'it is not JSON'],
    ['', 'it is empty'],
    ['[1e999]', 'a number in it is too large'],
    ['['.repeat(100) + ']'.repeat(100), 'it is nested too deeply'],
    ['{}', 'property "city" is missing'],
  ])('is told of %j that %s', async (text, fault) => {
    const stage = await openStage({ top: saying(text, '{"city":"Rome"}') }, { top: OUTPUT });
    await stage.run();
    expect(stage.asked.slice(1).map((asked) => asked.told)).toEqual([correction(fault)]);
  });

  test('is told that its answer was cut off', async () => {
    const role: Role = ({ turn }) =>
      turn === 1 ? { text: '{"city": "Ro', stopReason: 'max_tokens' } : '{"city":"Rome"}';
    const stage = await openStage({ top: role }, { top: OUTPUT });
    await stage.run();
    expect(stage.asked.slice(1).map((asked) => asked.told)).toEqual([
      correction('it was cut off at its limit of tokens'),
    ]);
  });

  test('fails in words where the second answer is no better, and has another chance when it is resumed', async () => {
    const stage = await openStage({ top: saying('Rome', '{"city":1}', '{"city":"Rome"}') }, { top: OUTPUT });
    const ended = await stage.run();
    const why =
      'the answer does not match the schema in [output], even after a correction: property "city" must be text, not 1';
    expect(ended).toMatchObject({
      code: EXIT.agent,
      out: '',
      err: `Error: ${why}\n`,
      run: { status: 'failed', failure: { error: 'AgentError', message: why } },
    });
    expect(await stage.resume(ended.run.id)).toMatchObject({ code: 0, out: '{"city":"Rome"}' });
    expect(stage.asked.map((asked) => asked.told).slice(2)).toEqual([
      correction('property "city" must be text, not 1'),
    ]);
  });

  test('may say what it likes beside its calls, and call tools to correct its answer', async () => {
    const role: Role = ({ turn }) =>
      turn === 1 || turn === 3
        ? { text: 'I look around.', calls: [use('list_directory', {})] }
        : turn === 2
          ? 'Rome'
          : '{"city":"Rome"}';
    const stage = await openStage({ top: role }, { top: `tools = ["files:read"]\n${OUTPUT}` });
    expect(await stage.run()).toMatchObject({
      code: 0,
      out: '{"city":"Rome"}',
      run: { usage: { turns: 4 } },
    });
  });

  test('hands JSON to its caller, whose own answer may be any text', async () => {
    const top: Role = ({ turn, results }) => (turn === 1 ? [call('kid', 'where?')] : results.join());
    const stage = await openStage(
      { top, kid: saying('Rome', '{"city":"Rome"}') },
      { top: 'sub_agents = ["kid"]\n', kid: OUTPUT },
    );
    expect(await stage.run()).toMatchObject({ out: '{"city":"Rome"}', tree: [{}, { usage: { turns: 2 } }] });
    expect(stage.asked.map(({ request }) => request.outputSchema)).toEqual([
      undefined,
      SCHEMA,
      SCHEMA,
      undefined,
    ]);
  });

  test('that fails as a sub-agent leaves the reason to its caller', async () => {
    const top: Role = ({ turn, results }) => (turn === 1 ? [call('kid', 'where?')] : results.join());
    const stage = await openStage({ top, kid: () => 'Rome' }, { top: 'sub_agents = ["kid"]\n', kid: OUTPUT });
    expect((await stage.run()).out).toBe(
      'Error: sub-agent "kid" failed - the answer does not match the schema in [output], even after a correction: it is not JSON. You may retry or proceed without this result.',
    );
  });

  test('has copies without one, and forks with it', async () => {
    const top: Role = (asked) => {
      const { turn, message, request } = asked;
      const isFork = request.messages.some((each) => each.role === 'user' && each.text.includes('forked by'));
      if (isFork) return '{"city":"Oslo"}';
      if (message === 'copy') return 'any text';
      if (turn === 1) return [use('sub_agent', { prompt: 'copy' }), use('fork', { prompt: 'p', name: 'f' })];
      return '{"city":"Rome"}';
    };
    const stage = await openStage({ top }, { top: `tools = ["sub_agent", "fork"]\n${OUTPUT}` });
    expect(await stage.run()).toMatchObject({ code: 0, out: '{"city":"Rome"}' });
    const schemas = new Map(
      stage.asked.map(({ request, message }) => [
        message === 'copy' ? 'copy' : JSON.stringify(request.messages).includes('forked by') ? 'fork' : 'top',
        request,
      ]),
    );
    expect(schemas.get('copy')?.outputSchema).toBeUndefined();
    expect(schemas.get('copy')?.system).toBe('');
    expect(schemas.get('fork')?.outputSchema).toEqual(SCHEMA);
    expect(schemas.get('fork')?.system).toBe(schemas.get('top')?.system);
  });

  test('keeps the schema with which it was opened', async () => {
    const stage = await openStage(
      { top: () => '{"city":"Rome"}' },
      { top: '[output]\nschema = "schemas/city.json"\n' },
      {
        'schemas/city.json': JSON.stringify({
          ...SCHEMA,
          properties: { city: { type: 'string', pattern: '^R' } },
        }),
      },
    );
    const { run } = await stage.run();
    expect((await stage.pipeline.store.opened(run.id))?.output).toEqual({
      schema: { ...SCHEMA, properties: { city: { type: 'string', pattern: '^R' } } },
      parameters: { ...SCHEMA, properties: { city: { type: 'string', pattern: '^R' } } },
    });
  });

  test('has a correction counted as a turn of its budget, and no output if there is none left for it', async () => {
    const stage = await openStage({ top: () => 'Rome' }, { top: `${OUTPUT}[budget]\nmax_turns = 1\n` });
    const { code, out, run } = await stage.run();
    expect({ code, out, status: run.status }).toEqual({
      code: EXIT.budget,
      out: 'Rome',
      status: 'budget_exceeded',
    });
    const io = recordedIo(stage.cwd);
    await withEnvironment(io, {}, async (environment) =>
      showRun(run.id, environment, { json: true, messages: false }, io),
    );
    expect(JSON.parse(io.out)).not.toHaveProperty('output');
  });

  test('takes back budget for a correction that a sub-agent has to make', async () => {
    const top: Role = ({ turn, results }) => (turn === 1 ? [call('kid', 'where?')] : results.join());
    const stage = await openStage(
      { top, kid: saying('Rome', '{"city":"Rome"}') },
      { top: 'sub_agents = ["kid"]\n[budget]\nmax_turns = 4\n', kid: OUTPUT },
    );
    expect(await stage.run()).toMatchObject({ code: 0, out: '{"city":"Rome"}' });
  });
});

const leaf = fc.constantFrom<Schema>(
  { type: 'string', maxLength: 3 },
  { type: 'integer', minimum: 0 },
  { enum: ['x', 1, null] },
  { type: ['boolean', 'null'] },
  { type: 'array', items: { type: 'number' }, minItems: 1 },
);
const name = fc.constantFrom('a', 'b', 'c');
const anySchema = fc
  .record({
    properties: fc.dictionary(name, leaf),
    required: fc.uniqueArray(name),
    additionalProperties: fc.boolean(),
  })
  .map((schema) => ({ type: 'object' as const, ...schema }));
const likely = fc.dictionary(
  name,
  fc.constantFrom<unknown>('x', 'long text', 1, -1, 0.5, true, null, [1], [], ['x'], {}),
);
const anyText = fc.oneof(
  likely.map((value) => JSON.stringify(value)),
  likely.map((value) => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``),
  likely.map((value) => JSON.stringify(value).slice(1)),
  fc.json(),
  fc.string(),
);

test('every value that is handed out as output matches the schema, and any other answer fails the run', async () => {
  let lines: string[] = [];
  const stage = await openStage(
    { top: ({ turn }) => lines[turn - 1] ?? '' },
    { top: '[output]\nschema = "x.json"\n' },
  );
  await fc.assert(
    fc.asyncProperty(anySchema, anyText, anyText, async (schema, first, second) => {
      await writeFile(join(stage.cwd, 'x.json'), JSON.stringify(schema));
      lines = [first, second];
      const { run } = await stage.run();
      const io = stage.io();
      const code = await printEnd(run.id, stage.environment.records, { json: true, verbose: false }, io);
      const report = JSON.parse(io.out);
      if (code === 0) {
        expect(new Validator(schema, '2020-12').validate(report.output).valid).toBe(true);
        expect(report.output).toEqual(JSON.parse(report.content));
      } else {
        expect(report).toMatchObject({ status: 'failed', content: '', turns: 2 });
        expect(report).not.toHaveProperty('output');
        expect(run.failure?.message).toMatch(/^the answer does not match the schema in \[output\]/);
      }
    }),
    { numRuns: cases(60) },
  );
});
