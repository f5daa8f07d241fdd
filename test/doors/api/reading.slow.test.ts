import { NO_UPLOADS } from '../../fixtures/no-uploads.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as v from 'valibot';
import { seconds } from '../../../src/core/records/times.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import type { AgentsContext } from '../../../src/doors/api/context.ts';
import { MCP_PATH } from '../../../src/doors/api/door-paths.ts';
import { createDoors } from '../../../src/doors/api/doors.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { createOpenAiApi } from '../../../src/doors/api/openai/openai-api.ts';
import type { Attachment } from '../../../src/core/records/attachment.ts';
import { ROUTES } from '../../../src/doors/api/routes.ts';
import { createDeployedEnvironment } from '../../../src/places/aws/deployed-environment.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { SPENT_IN_ALL } from '../../../src/places/store/index-entries.ts';
import { WATCHED } from '../../../src/places/store/partitions.ts';
import { createMemoryBlobs, createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Key, Table } from '../../../src/places/store/table.ts';
import { aFork, anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

// Every request that reads is played against runs in every state, over a table that takes no writes.

const ALIVE = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-dev:alive';
const LOST = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-dev:lost';
const AGENT = 'kid';
/** A file that each run was started with. */
const FILE: Attachment = { hash: 'a'.repeat(64), type: 'image/png', bytes: 1 };
/** A stream of a run to which nothing happens may have nothing to tell. */
const LOOK_MS = 100;

/** What reading may write: that somebody watches, and entries that follow from records, which stay as they are. */
function isNote({ partition }: Key): boolean {
  return partition.startsWith(WATCHED) || partition === SPENT_IN_ALL;
}

/** A table that refuses to change any record, and remembers what was to change. */
function refusing(table: Table, refused: string[]): Table {
  const guard = (key: Key): void => {
    if (isNote(key)) return;
    refused.push(`${key.partition} ${key.sort}`);
    throw new TypeError(`those who read write nothing: ${key.partition} ${key.sort}`);
  };
  return {
    ...table,
    async putIfAbsent(key, ...rest) {
      guard(key);
      return table.putIfAbsent(key, ...rest);
    },
    async putIfVersion(key, ...rest) {
      guard(key);
      return table.putIfVersion(key, ...rest);
    },
    async delete(key) {
      guard(key);
      return table.delete(key);
    },
  };
}

async function refuse(): Promise<never> {
  throw new TypeError('those who read do nothing');
}

async function openWorld() {
  const cwd = await tempFolder({ [`agents/${AGENT}.toml`]: `name = "${AGENT}"\nmodel = "m/x"\n` });
  const table = createMemoryTable();
  const blobs = createMemoryBlobs();
  const store = createRunStore(table, createDocuments(table, blobs));
  const id = (number: number) => `${AGENT}-0000000000000${number}`;
  const begun = new Date(Date.now() - 5_000).toISOString();
  const run = (number: number, other = {}) =>
    aRun({ id: id(number), root: id(number), agent: AGENT, startedAt: begun, execution: ALIVE, ...other });
  const ended = run(1, { status: 'succeeded', endedAt: begun });
  const [idle, fork] = [
    run(4, { status: 'idle', endedAt: begun }),
    aFork(ended, { status: 'idle', agent: AGENT }),
  ];
  const asking = run(2);
  const runs = [
    ended,
    aSubAgent(ended, { path: 't1c2', status: 'failed', failure: { error: 'X', message: 'broken' } }),
    fork,
    asking,
    // Its execution has ended, and no event has told of that.
    run(3, { execution: LOST, startedAt: '2026-01-01T00:00:00.000Z' }),
    idle,
    run(5, { status: 'stopped', failure: { error: 'Stopped', message: 'enough' } }),
    run(6, { status: 'running', isToBeKilled: true }),
  ];
  for (const one of runs) {
    await store.saveRequest(one.id, { agent: AGENT, prompt: 'go' });
    const opened = { root: one.root, agent: AGENT, patience: seconds(3_600), attachments: [FILE] };
    await store.saveOpened(one.id, anOpened(opened));
    await store.saveAttachment(one.root, FILE.hash, { data: 'eA==' });
    await keepRun(store, one);
    await store.saveTurn(one.id, aTurn({ at: begun }));
    await store.saveMail(one.id, { body: 'hear', sentAt: begun });
  }
  const at = { run: asking.id, turn: 1, call: 1 };
  await store.saveQuestion({ ...at, root: asking.root, agent: AGENT, question: 'Which?', askedAt: begun });
  await store.saveAnswerWait(at, { token: 'token', until: Date.now() + 60_000 });

  const refused: string[] = [];
  const guarded = refusing(table, refused);
  const executions = {
    start: refuse,
    stop: refuse,
    isRunning: async (arn: string) => arn === ALIVE,
    endOf: async (arn: string) => (arn === ALIVE ? undefined : { status: 'ABORTED' as const }),
  };
  const context: AgentsContext = {
    environment: createDeployedEnvironment({
      store: createRunStore(guarded, createDocuments(guarded, blobs)),
      executions,
      check: refuse,
      publish: refuse,
      uploads: NO_UPLOADS,
      send: refuse,
      kill: refuse,
      wakeAsker: refuse,
      now: Date.now,
    }),
    source: openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }),
    streams: true,
    models: [],
    openings: openingsIn(cwd),
    now: Date.now,
    log: ({ path, thrown }) => {
      throw new Error(`${path} has failed`, { cause: thrown });
    },
  };
  const kept = async () => JSON.stringify(await Promise.all(runs.map(({ id: each }) => store.tree(each))));
  return { context, refused, kept, runs: runs.map((one) => one.id), asking: asking.id };
}

/** The paths of a route, with everything that its parameters can stand for here. */
function pathsOf(path: string, runs: readonly string[]): string[] {
  const named = path
    .replace('{hash}', FILE.hash)
    .replace(/\{name\}|:model\b.*/, path.startsWith('/v1') ? `cadre/${AGENT}` : AGENT);
  const whole = named.replace('{question}', 't1c1');
  return whole.includes('{id}') ? runs.map((run) => whole.replace('{id}', run)) : [whole];
}

/** Queries that have a route do more than it does without. */
const QUERIES = new Map<string, string[]>([
  [ROUTES.listRuns.path, ['?status=running', '?status=failed', '?text=go', '?since=30d']],
  [ROUTES.getCosts.path, ['?by=day,owner&since=30d', '?by=tag:customer']],
  [ROUTES.getResult.path, ['?wait=1']],
]);

test('no route that reads changes anything, whatever state a run is in', async () => {
  const { context, refused, kept, runs } = await openWorld();
  const [api, openAi] = [createApi(context), createOpenAiApi(context)];
  const before = await kept();
  const reading = [
    ...Object.values(ROUTES).map((route) => ({ ...route, app: api })),
    // hono knows what is served there; its middleware has the method "ALL".
    ...openAi.routes.map(({ method, path }) => ({ method: method.toLowerCase(), path, app: openAi })),
  ].filter(({ method }) => method === 'get');
  const answered = new Set<string>();
  const failed: string[] = [];
  for (const { app, path } of reading) {
    for (const each of pathsOf(path, runs)) {
      for (const query of ['', ...(QUERIES.get(path) ?? [])]) {
        const response = await app.request(`${each}${query}`);
        if (path.endsWith('/events')) await beginReading(response);
        else await response.text();
        if (response.ok) answered.add(path);
        if (response.status >= 500) failed.push(`${each}${query}: ${response.status}`);
      }
    }
  }
  expect({ failed, refused }).toEqual({ failed: [], refused: [] });
  expect(await kept()).toBe(before);
  // The paths are those that are served, and show something.
  expect([...answered]).toEqual(reading.map(({ path }) => path));
});

/** Reads what a stream begins with, if anything, and leaves. */
async function beginReading({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  await Promise.race([reader?.read(), delay(LOOK_MS)]);
  await reader?.cancel();
}

const Tools = v.object({
  result: v.object({
    tools: v.array(
      v.object({
        name: v.string(),
        annotations: v.optional(v.object({ readOnlyHint: v.optional(v.boolean(), false) }), {}),
        inputSchema: v.object({ properties: v.record(v.string(), v.unknown()) }),
      }),
    ),
  }),
});

test('no tool of MCP that is marked as reading, and no method that reads, changes anything', async () => {
  const { context, refused, kept, runs } = await openWorld();
  const doors = createDoors(context);
  const before = await kept();
  const send = async (method: string, params: Record<string, unknown> = {}) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const response = await doors.request(MCP_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['name'] ?? params['taskId'] ?? ''),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
    return response.text();
  };
  const { tools } = v.parse(v.pipe(v.string(), v.parseJson(), Tools), await send('tools/list')).result;
  const reading = tools.filter(({ annotations }) => annotations.readOnlyHint);
  expect(reading.map(({ name }) => name)).toEqual(['run_result']);
  for (const { name, inputSchema } of reading) {
    // A tool with other arguments has to be played in another way.
    expect(Object.keys(inputSchema.properties)).toEqual(['run_id', 'wait']);
    for (const run of runs) await send('tools/call', { name, arguments: { run_id: run, wait: 1 } });
  }
  await send('server/discover');
  for (const run of runs) await send('tasks/get', { taskId: run });
  expect(refused).toEqual([]);
  expect(await kept()).toBe(before);
});
