import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { resumeRun } from '../../../src/core/lifecycle/resume.ts';
import { openFolder } from '../../../src/places/local/open-folder.ts';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { startModelServer, type Reply } from '../../fixtures/model-server.ts';
import { replayed } from '../../fixtures/replayed.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { latch, type Latch } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { nightlyTest } from '../../fixtures/nightly.ts';

const Body = v.object({
  tools: v.optional(v.array(v.unknown())),
  messages: v.array(
    v.object({
      role: v.string(),
      content: v.nullish(v.string(), ''),
      tool_calls: v.optional(v.array(v.object({ id: v.string() }))),
      tool_call_id: v.optional(v.string()),
    }),
  ),
});
type Body = v.InferOutput<typeof Body>;

/** A token for each word, and for each sign that is none. */
const tokensOf = (body: Body) => JSON.stringify(body).match(/\w+|[^\w\s]/g)?.length ?? 0;
const isSummary = ({ tools }: Body) => tools === undefined;
const newestOf = ({ messages }: Body) => messages.at(-1)?.content ?? '';
/** Which part the newest result is. */
const partIn = (body: Body) => Number(/^1: part (\d+),/.exec(newestOf(body))?.[1] ?? 0);

/** As read_file shows it, with numbers of lines, it has close to 50,000 characters. */
function partOf(number: number): string {
  const lines = Array.from(
    { length: 530 },
    (_, line) => `part ${number}, line ${line}: ${'plain words of a report '.repeat(3)}`,
  );
  return lines.join('\n').slice(0, 47_000);
}

const answerTo = (body: Body, message: object): Reply => ({
  body: {
    choices: [{ message, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokensOf(body), completion_tokens: 300 },
  },
});

const read = (...parts: number[]) =>
  parts.map((part) => ({
    id: `read_${part}`,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path: `part-${part}.txt` }) },
  }));

/** Reads so many parts, one after the other, and says much about each. */
const readInTurn =
  (parts: number) =>
  (body: Body): object => {
    const last = partIn(body);
    const words = `part ${last} says what the others say. `.repeat(35);
    if (isSummary(body)) return { content: `Parts up to ${last} of ${parts} were read.` };
    return last === parts
      ? { content: 'all parts are read' }
      : { content: words, tool_calls: read(last + 1) };
  };

interface Play {
  parts: number;
  /** Of the server, in tokens. */
  window: number;
  /** Keys of the agent's file. */
  keys?: string;
  prompt?: string;
  say?: (body: Body) => object;
  /** The process dies at the first request that each of these fits, one after the other. */
  deaths?: ((body: Body, before: Body | undefined) => boolean)[];
}

/** Has an agent work at a server that refuses what its window does not hold, and resumes it as often as it dies. */
async function play({
  parts,
  window,
  keys = '',
  prompt = 'read all parts',
  say = readInTurn(parts),
  deaths = [],
}: Play) {
  const requests: Body[] = [];
  const refused: Body[] = [];
  const lost: number[] = [];
  const left = [...deaths];
  let death: Latch = latch();
  const server = await startModelServer((arrived): Reply => {
    const body = v.parse(Body, arrived.body);
    const index = requests.push(body) - 1;
    if (left[0]?.(body, requests[index - 1])) {
      left.shift();
      lost.push(index);
      death.open();
      return 'silence';
    }
    if (tokensOf(body) <= window) return answerTo(body, say(body));
    refused.push(body);
    const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokensOf(body)} tokens.`;
    return { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
  });
  onTestFinished(() => server.close());

  const agent = `name = "top"\nmodel = "openai/local"\ntimeout = 600\ntools = ["read_file"]\n${keys}[params]\napi = "chat"\n`;
  const files = Array.from({ length: parts }, (_, index) => [`part-${index + 1}.txt`, partOf(index + 1)]);
  const cwd = await tempFolder({ 'agents/top.toml': agent, ...Object.fromEntries(files) });
  const env = { CADRE_OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'a-key' };
  const id = newRunId('top', Date.now());
  for (;;) {
    const folder = await openFolder({ cwd, sources: () => localSources(recordedIo(cwd, { env })) });
    onTestFinished(() => folder.close());
    const { pipeline } = await folder.carrier();
    const { store, executions } = pipeline;
    const kept = await store.run(id);
    death = latch();
    const execution =
      kept === undefined
        ? await startRun(id, { agent: 'top', prompt }, pipeline)
        : (await resumeRun(kept, {}, { ...pipeline, now: Date.now })).execution;
    await Promise.race([executions.wait(execution), death.opened]);
    const run = await store.run(id);
    if (run === undefined) throw new Error('the run left no record');
    if (run.status === 'running') continue;
    const again = await replayed(id, { cwd, pipeline });
    expect(again).toEqual({ runs: 1, turns: run.usage.turns, skipped: 0 });
    return { run, turns: await store.turns(id), ledger: await store.ledger(id), requests, refused, lost };
  }
}

const WINDOW = 32_000;
const KNOWN = `[context]\nwindow = ${WINDOW}\n`;

nightlyTest(
  'fifty turns with results of 50,000 characters fit a window of 32,000 tokens, also after crashes',
  async () => {
    const parts = 49;
    const undisturbed = await play({ parts, window: WINDOW, keys: KNOWN });
    const { run, turns, requests, refused } = undisturbed;
    expect(run).toMatchObject({ status: 'succeeded', usage: { turns: 50, toolCalls: 49 } });
    expect(turns.at(-1)?.answer.text).toBe('all parts are read');
    expect(refused).toEqual([]);
    // Every part was seen, and hardly anything was taken from any.
    const seen = requests.map(newestOf).filter((text) => text.startsWith('1: part'));
    expect(seen.map((text) => /^1: part \d+/.exec(text)?.[0])).toEqual(
      Array.from({ length: parts }, (_, index) => `1: part ${index + 1}`),
    );
    expect(Math.min(...seen.map(({ length }) => length))).toBeGreaterThan(40_000);
    // Each call is followed by its result.
    for (const { messages } of requests) {
      const calls = messages.flatMap(({ tool_calls = [] }, at) =>
        tool_calls.map(({ id }) => [id, messages[at + 1]?.tool_call_id]),
      );
      expect(calls.filter(([made, answered]) => made !== answered)).toEqual([]);
    }
    // Summaries are few, and paid for like everything else.
    const summaries = requests.filter(isSummary).length;
    expect({ some: summaries > 0, few: summaries < 10 }).toEqual({ some: true, few: true });
    expect(run.usage.inputTokens).toBe(requests.reduce((sum, body) => sum + tokensOf(body), 0));
    expect(run.usage.outputTokens).toBe(300 * (50 + summaries));

    const crashed = await play({
      parts,
      window: WINDOW,
      keys: KNOWN,
      deaths: [
        (body) => partIn(body) === 20,
        isSummary,
        (body, before) => before !== undefined && isSummary(before) && !isSummary(body),
      ],
    });
    expect(crashed.run.status).toBe('succeeded');
    expect(crashed.lost).toHaveLength(3);
    // A call under way when the process died is made once more.
    expect(crashed.requests.filter((_, index) => !crashed.lost.includes(index))).toEqual(requests);
  },
);

test('a server whose window is unknown is asked for less when it refuses', async () => {
  const { run, turns, requests, refused } = await play({ parts: 12, window: 20_000 });
  expect(run).toMatchObject({ status: 'succeeded', usage: { turns: 13 } });
  // The refusal is remembered, so that it does not refuse at every turn.
  expect(refused.length).toBeLessThan(6);
  expect(turns.filter(({ compaction }) => compaction?.window !== undefined)).not.toEqual([]);
  expect(run.usage.inputTokens).toBe(
    requests.reduce((sum, body) => sum + (refused.includes(body) ? 0 : tokensOf(body)), 0),
  );
});

test('an answer whose results are longer than the window together is told as much of each as fits', async () => {
  const parts = 8;
  const say = (body: Body) =>
    body.messages.length === 1
      ? { content: null, tool_calls: read(...Array.from({ length: parts }, (_, index) => index + 1)) }
      : { content: 'seen' };
  const { run, requests, refused } = await play({ parts, window: WINDOW, keys: KNOWN, say });
  expect({ status: run.status, refused }).toEqual({ status: 'succeeded', refused: [] });
  const results =
    requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content) ?? [];
  expect(
    results.map(
      (text) => /^1: part (\d+), line 0[^]*\n\n\[\d+ of \d+ characters left out\]\n\n/.exec(text)?.[1],
    ),
  ).toEqual(Array.from({ length: parts }, (_, index) => String(index + 1)));
});

test('a summary is reserved and charged like a turn', async () => {
  const { run, ledger, requests } = await play({
    parts: 12,
    window: 8_000,
    keys: `[budget]\nmax_tokens = 300000\n[context]\nwindow = 8000\n`,
  });
  expect(run.status).toBe('succeeded');
  expect(requests.filter(isSummary)).not.toEqual([]);
  expect(ledger?.used.tokens).toBe(run.usage.inputTokens + run.usage.outputTokens);
  expect(ledger).toMatchObject({ used: { turns: 13 }, reserved: {} });
});

describe('a prompt that is longer than the window', () => {
  const prompt = 'plain words of a report '.repeat(20_000);

  test('is not sent, and the error says what is so long', async () => {
    const { run, requests } = await play({ parts: 0, window: WINDOW, keys: KNOWN, prompt });
    expect({ failure: run.failure, requests }).toEqual({
      failure: {
        error: 'ModelError',
        message: expect.stringMatching(
          /^bad_request: the prompt does not fit the window of openai\/local, 32000 tokens: it has about 12\d{4} tokens \(tools 0\.\d KB, first message 480\.0 KB\); give the agent fewer files or less input, or a model with a larger window, or set \[context\] window if it is larger$/,
        ),
      },
      requests: [],
    });
  });

  test('is sent once where the window is not known', async () => {
    const { run, requests } = await play({ parts: 0, window: WINDOW, prompt });
    expect({ message: run.failure?.message, requests: requests.length }).toEqual({
      message: expect.stringMatching(
        /^bad_request: the prompt does not fit the window of openai\/local: .+ a larger window \(bad_request: This model's maximum context length is 32000 tokens\. .+\)$/,
      ),
      requests: 1,
    });
  });
});

test('nothing is left out where the agent says so', async () => {
  const { run, turns, requests } = await play({
    parts: 5,
    window: WINDOW,
    keys: `[context]\ncompact = false\nwindow = ${WINDOW}\n`,
  });
  expect(run.failure?.message).toMatch(/^bad_request: This model's maximum context length is 32000 tokens\./);
  expect(requests).toHaveLength(turns.length + 1);
  expect(turns.filter(({ compaction }) => compaction !== undefined)).toEqual([]);
});
