import { expect, onTestFinished, test } from 'vitest';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { createStateMachines } from '../../../src/asl/create-state-machines.ts';
import { openRun } from '../../../src/core/lifecycle/open.ts';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { takeTurn } from '../../../src/core/turn/turn.ts';
import { createEmbeddedExecutions } from '../../../src/places/local/embedded.ts';
import { CONVERSATION } from '../../../src/core/machine/conversation.ts';
import type { Model } from '../../../src/core/model/model.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { Blobs } from '../../../src/places/store/blobs.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createFolderBlobs } from '../../../src/places/local/store/folder-blobs.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { createMemories } from '../../../src/places/store/memories.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { PutOptions, Table } from '../../../src/places/store/table.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { call } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anAnswer } from '../../fixtures/records.ts';

/** A clock on which every operation of a store takes one tick, and those that are under way at once take it together. */
class Ticks {
  count = 0;
  #waiting: (() => void)[] = [];

  pass(): Promise<void> {
    return new Promise((resolve) => {
      // When nothing else is left to do but to wait for the store.
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#tick());
    });
  }

  #tick(): void {
    this.count += 1;
    const waited = this.#waiting;
    this.#waiting = [];
    for (const resolve of waited) resolve();
  }
}

function ticking(table: Table, blobs: Blobs, ticks: Ticks): { table: Table; blobs: Blobs } {
  const after = async <T>(operation: Promise<T>) => (await ticks.pass(), operation);
  /** DynamoDB writes what goes ahead of an item in a request before that. */
  const put = async <T>({ ahead = [] }: PutOptions = {}, operation: () => Promise<T>) => {
    if (ahead.length > 0) await ticks.pass();
    return after(operation());
  };
  return {
    table: {
      ...table,
      get: (...given) => after(table.get(...given)),
      putIfAbsent: (...given) => put(given[2], () => table.putIfAbsent(...given)),
      putIfVersion: (...given) => put(given[3], () => table.putIfVersion(...given)),
      delete: (...given) => after(table.delete(...given)),
      async *query(...given) {
        await ticks.pass();
        yield* table.query(...given);
      },
    },
    blobs: {
      ...blobs,
      get: (...given) => after(blobs.get(...given)),
      put: (...given) => after(blobs.put(...given)),
    },
  };
}

/** Whom each agent calls, turn by turn, until it answers. */
const CALLS: Record<string, string[][]> = { top: [['kid', 'kid'], ['kid']], kid: [['leaf']], leaf: [] };

/** Carries out a tree whose every call of a function begins with nothing in memory. */
async function roundTrips(agentKeys: string): Promise<Record<string, { before: number; after: number }>> {
  const cwd = await tempFolder();
  const table = await openLmdbTable(`${cwd}/store`);
  onTestFinished(() => table.close());
  const most: Record<string, { before: number; after: number }> = {};

  const portsOf = (ticks: Ticks, onAsked: (agent: string, turn: number) => void) => {
    const slow = ticking(table, createFolderBlobs(`${cwd}/blobs`), ticks);
    const modelOf = (agent: string): Model => ({
      async send({ messages }) {
        const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
        onAsked(agent, turn);
        const calls = (CALLS[agent]?.[turn - 1] ?? []).map((name) => call(name, 'look'));
        return anAnswer({ text: 'so', calls });
      },
    });
    return {
      store: createRunStore(slow.table, createDocuments(slow.table, slow.blobs)),
      memories: createMemories(slow.table),
      tools: loadOwnTools,
      models: { open: async (name: string) => ({ model: modelOf(name.slice(2)), name }) },
      prices: createPrices(),
      source: {
        folders: [],
        list: async () => [],
        readSkill: async () => undefined,
        read: async (name: string) => {
          const text = `name = "${name}"\nmodel = "m/${name}"\nsub_agents = ["kid", "leaf"]\n${agentKeys}`;
          return parseAgent(name, { path: name, root: cwd, bytes: Buffer.from(text) });
        },
      },
      cwd,
      openWorkspace: openFolderWorkspace,

      now: Date.now,
      random: Math.random,
    };
  };

  const machines = createStateMachines({
    async invokeLambda(name, payload, { signal }) {
      const ticks = new Ticks();
      let asked: { who: string; at: number } | undefined;
      const ports = portsOf(ticks, (agent, turn) => (asked = { who: `${agent} ${turn}`, at: ticks.count }));
      if (name === 'OpenFunction') return { payload: await openRun(payload, ports) };
      const output = await takeTurn(payload, ports, signal);
      const { who, at } = asked ?? { who: 'nobody', at: 0 };
      const { before, after } = most[who] ?? { before: 0, after: 0 };
      most[who] = { before: Math.max(before, at), after: Math.max(after, ticks.count - at) };
      return { payload: output };
    },
  });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'm',
    definition: JSON.stringify(CONVERSATION)
      .replaceAll('${Partition}', 'aws')
      .replaceAll(/\$\{(\w+)\}/g, '$1'),
    roleArn: 'arn:aws:iam::123456789012:role/r',
  });
  const { store } = portsOf(new Ticks(), () => {});
  const executions = createEmbeddedExecutions(machines, stateMachineArn);
  const id = newRunId('top', Date.now());
  await executions.wait(
    await startRun(id, { agent: 'top', prompt: 'go', context: 'a text' }, { store, executions }),
  );
  expect(await store.run(id)).toMatchObject({ status: 'succeeded' });
  return most;
}

const BUDGET = '[budget]\nmax_tokens = 10000000\nmax_turns = 100\n';
const RETRY = '[retry]\nmax_retries = 2\n';
const SHARED = '[sub_agents_config]\nshare_input = true\n';

test.each([
  ['plain agents', ''],
  ['agents that retry', RETRY],
  ['agents that share their input', SHARED],
  ['a budget', BUDGET],
  ['a budget, retries and shared input', BUDGET + RETRY + SHARED],
  ['patience', 'patience = "1h"\n'],
])(
  'at most three round trips to the store come before an answer, and three after it, or four where it starts agents or ends a run that has to pay: %s',
  async (_, keys) => {
    const most = await roundTrips(keys);
    expect(Object.keys(most).sort()).toEqual(['kid 1', 'kid 2', 'leaf 1', 'top 1', 'top 2', 'top 3']);
    const mostAfter = (who: string) => (keys.includes('[budget]') || who === 'kid 1' ? 4 : 3);
    const over = Object.entries(most).filter(
      ([who, { before, after }]) => before > 3 || after > mostAfter(who),
    );
    expect(Object.fromEntries(over)).toEqual({});
  },
);
