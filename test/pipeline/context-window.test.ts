import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { resumeRun, startRun } from '../../src/conversation/start.ts';
import { openLocalPipeline } from '../../src/pipeline/local-pipeline.ts';
import { localSources } from '../../src/pipeline/local-sources.ts';
import { newRunId } from '../../src/runs/run-id.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { latch } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const WINDOW = 32_000;
const PARTS = 49;

const Body = v.object({
  tools: v.optional(v.array(v.unknown())),
  messages: v.array(
    v.object({
      role: v.string(),
      content: v.nullish(v.string(), ''),
      tool_calls: v.optional(v.array(v.unknown())),
    }),
  ),
});
type Body = v.InferOutput<typeof Body>;

/** A token for each word, and for each sign that is none. */
function tokensOf(body: Body): number {
  return JSON.stringify(body.messages).match(/\w+|[^\w\s]/g)?.length ?? 0;
}

/** As read_file shows it, each part has almost 50,000 characters. */
const partOf = (number: number) =>
  Array.from(
    { length: 500 },
    (_, line) => `part ${number}, line ${line}: ${'plain words of a report '.repeat(3)}`,
  )
    .join('\n')
    .slice(0, 46_900);

/** A server that refuses what is longer than its window, and whose model reads part after part. */
async function startServer(window: number, hold: (body: Body, index: number) => Promise<void> | undefined) {
  const refused: number[] = [];
  const server = await startModelServer(async (arrived, index) => {
    const body = v.parse(Body, arrived.body);
    const tokens = tokensOf(body);
    if (tokens > window) {
      refused.push(index);
      const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`;
      return { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
    }
    await hold(body, index);
    const last = body.messages.at(-1)?.content ?? '';
    const read = Number(/^1: part (\d+),/.exec(last)?.[1] ?? 0);
    const call = {
      id: `read_${read + 1}`,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path: `part-${read + 1}.txt` }) },
    };
    const answer =
      body.tools === undefined
        ? { content: `Read so far: ${body.messages.length}. ${'It says plain words. '.repeat(20)}` }
        : read === PARTS
          ? { content: 'all parts are read' }
          : { content: `On to part ${read + 1}: ${'I see, and go on. '.repeat(20)}`, tool_calls: [call] };
    const usage = { prompt_tokens: tokens, completion_tokens: 100 };
    return { body: { choices: [{ message: answer, finish_reason: 'stop' }], usage } };
  });
  onTestFinished(() => server.close());
  return { server, refused };
}

async function openPipeline(cwd: string, url: string) {
  const env = { CADRE_OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'a-key' };
  const sources = await localSources(recordedIo(cwd, { env }));
  const pipeline = await openLocalPipeline({ ...sources, cwd, env });
  onTestFinished(() => pipeline.close());
  return pipeline;
}

async function folder(context: string) {
  const parts = Array.from({ length: PARTS }, (_, index) => [`part-${index + 1}.txt`, partOf(index + 1)]);
  const agent = `name = "top"\nmodel = "openai/local"\ntools = ["read_file"]\n[params]\napi = "chat"\n${context}`;
  return tempFolder({ 'agents/top.toml': agent, ...Object.fromEntries(parts) });
}

/** @param held at which request the process dies; none: it does not */
async function readAll(context: string, held?: number) {
  const arrived = latch();
  let isHeld = false;
  const { server, refused } = await startServer(WINDOW, (_, index) => {
    if (index !== held || isHeld) return undefined;
    isHeld = true;
    arrived.open();
    return new Promise(() => {});
  });
  const cwd = await folder(context);
  const first = await openPipeline(cwd, server.url);
  const id = newRunId('top', Date.now());
  const started = await startRun(id, { agent: 'top', prompt: 'read all parts' }, first);
  await Promise.race([first.executions.wait(started), arrived.opened]);
  let pipeline = first;
  if (held !== undefined) {
    pipeline = await openPipeline(cwd, server.url);
    const run = await pipeline.store.run(id);
    if (run === undefined) throw new Error('the run left no record');
    const { execution } = await resumeRun(run, undefined, { ...pipeline, now: Date.now });
    await pipeline.executions.wait(execution);
  }
  const { store } = pipeline;
  return {
    run: await store.run(id),
    turns: await store.turns(id),
    requests: server.requests.map(({ body }) => v.parse(Body, body)),
    refused,
  };
}

test('x', async () => {
  const whole = await readAll(`[context]\nwindow = ${WINDOW}\n`);
  console.log(whole.run, whole.turns.length, whole.refused);
  console.log(
    whole.requests
      .map((body) => `${body.messages.length} ${tokensOf(body)} ${body.tools === undefined}`)
      .join('\n'),
  );
  console.log(
    whole.turns.map(({ number, compaction }) => [
      number,
      compaction && { ...compaction, summary: compaction.summary?.messages },
    ]),
  );
});
