import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { createStateMachines } from '../../../src/asl/create-state-machines.ts';
import { carryOutCall } from '../../../src/core/turn/call.ts';
import { openRun } from '../../../src/core/lifecycle/open.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { resumeRun } from '../../../src/core/lifecycle/resume.ts';
import { takeTurn } from '../../../src/core/turn/turn.ts';
import { createEmbeddedExecutions } from '../../../src/places/local/embedded.ts';
import type { Json } from '../../../src/json.ts';
import { CONVERSATION } from '../../../src/core/machine/conversation.ts';
import { delegationModel } from '../../../src/providers/planned/delegation.ts';
import type { Model } from '../../../src/core/model/model.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { resultOf } from '../../../src/core/records/turn.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemories } from '../../../src/places/store/memories.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Item, Table } from '../../../src/places/store/table.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { latch, use } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anAnswer } from '../../fixtures/records.ts';

const ID = 'top-00000000000001';
const AGENT = `name = "top"
model = "m/top"
tools = ["files:read", "delegate_task"]
sub_agent = { max_concurrent = 2 }
`;
const SUBTASKS = [{ task: 'one' }, { task: 'two' }, { task: 'three', depends_on: [0, 1] }];

/** The first subtask takes a tool, the last one hears of the others; the top answers with the report. */
function answerTo(asked: string, turn: number, results: readonly string[]): string | ToolCall[] {
  if (asked === 'go') {
    return turn === 1 ? [use('delegate_task', { plan: 'p', subtasks: SUBTASKS })] : results.join();
  }
  return asked === 'one' && turn === 1 ? [use('read_file', { path: 'a' })] : `(${asked}: ${results.join()})`;
}

/** A table as a process sees it that is killed at one of its operations, counted from 0: nothing comes of it any more. */
function mortalTable(table: Table, dies: { at: number; died(): void }): Table {
  let operations = 0;
  const alive = <T>(effect: () => T): T | Promise<never> => {
    const operation = operations++;
    if (operation === dies.at) dies.died();
    return operation < dies.at ? effect() : new Promise<never>(() => {});
  };
  return {
    get: async (...given) => alive(() => table.get(...given)),
    putIfAbsent: async (...given) => alive(() => table.putIfAbsent(...given)),
    putIfVersion: async (...given) => alive(() => table.putIfVersion(...given)),
    delete: async (...given) => alive(() => table.delete(...given)),
    async *query(...given) {
      const items: Item[] = [];
      await alive(async () => {
        for await (const item of table.query(...given)) items.push(item);
      });
      yield* items;
    },
    close: () => table.close(),
  };
}

/** Starts or resumes the run in a process of its own. @returns the turns that its models answered, when it has ended */
async function carryOut(kept: Table, cwd: string, at = Infinity): Promise<{ paid: string[]; died: boolean }> {
  const killed = latch();
  let died = false;
  const table = mortalTable(kept, {
    at,
    died() {
      died = true;
      killed.open();
    },
  });
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const paid: string[] = [];
  const top: Model = {
    async send({ messages }) {
      const [first] = messages;
      const asked = first?.role === 'user' ? (first.text.split('\n')[0] ?? '') : '';
      const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
      const last = messages.at(-1);
      const results = last?.role === 'tool' ? last.results.map(({ text }) => text) : [];
      paid.push(`${asked} ${turn}`);
      const answer = answerTo(asked, turn, results);
      return anAnswer(typeof answer === 'string' ? { text: answer } : { calls: answer });
    },
  };
  const ports = {
    store,
    memories: createMemories(table),
    tools: loadOwnTools,
    models: {
      open: async (name: string) => ({ name, model: name.startsWith('planned/') ? delegationModel : top }),
    },
    prices: createPrices(),
    source: {
      list: async () => [],
      readSkill: async () => undefined,
      read: async (name: string) => parseAgent(name, { path: name, root: cwd, bytes: Buffer.from(AGENT) }),
    },
    cwd,
    openWorkspace: openFolderWorkspace,

    now: Date.now,
    random: Math.random,
    invocation: () => 'x',
    mayBeAtWork: () => false,
    sleep: async () => {},
    reach: () => ({ workspace: openFolderWorkspace(resolve(cwd)) }),
  };
  const functions: Record<string, (event: Json, signal: AbortSignal) => Promise<unknown>> = {
    OpenFunction: (event) => openRun(event, ports),
    TurnFunction: (event, signal) => takeTurn(event, ports, signal),
    ToolFunction: (event, signal) => carryOutCall(event, ports, signal),
    SettleFunction: (event) => settleRun(event, { ...NOTHING_RUNS, ...ports }),
  };
  const machines = createStateMachines({
    async invokeLambda(name, payload, { signal }) {
      return { payload: await functions[name]?.(payload, signal) };
    },
  });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'm',
    definition: JSON.stringify(CONVERSATION)
      .replaceAll('${Partition}', 'aws')
      .replaceAll(/\$\{(\w+Function)\}/g, '$1'),
    roleArn: 'arn:aws:iam::123456789012:role/r',
  });
  const executions = createEmbeddedExecutions(machines, stateMachineArn);
  const work = async () => {
    const run = await store.run(ID);
    const execution =
      run === undefined
        ? await startRun(ID, { agent: 'top', prompt: 'go' }, { store, executions })
        : (await resumeRun(run, {}, { ...ports, executions })).execution;
    await executions.wait(execution);
  };
  await Promise.race([work(), killed.opened]);
  machines.stopAll('the process is gone');
  return { paid, died };
}

const reader = (table: Table) => createRunStore(table, createDocuments(table, NO_BLOBS));

/** The turns that are kept, but for those that cost nothing. */
async function keptTurns(table: Table): Promise<Set<string>> {
  const store = reader(table);
  const runs = (await store.tree(ID)).filter(({ model }) => !model.startsWith('planned/'));
  const turns = runs.map(async ({ id, task }) =>
    (await store.turns(id)).map(({ number }) => `${task.split(' ')[0]} ${number}`),
  );
  return new Set((await Promise.all(turns)).flat());
}

async function reportIn(table: Table): Promise<string> {
  const run = await reader(table).run(ID);
  if (run === undefined) throw new Error('nothing is kept of the run');
  return resultOf(run, await reader(table).turns(ID)).replace(/\d+\.\ds$/, 'S.Ss');
}

test('a delegation that was killed at any operation of its store goes on to the same report, and pays for no turn twice', async () => {
  const cwd = await tempFolder({ a: 'what it says\n' });
  const undisturbed = createMemoryTable();
  const { paid: all } = await carryOut(undisturbed, cwd);
  const report = await reportIn(undisturbed);
  expect(report).toMatch(
    /^Delegation: p\nSubtasks: 3\n\n--- Subtask 1: one ---\nStatus: completed\n\(one: 1: what/,
  );
  expect(report).toMatch(/Completed: 3\/3\nTotal tool calls: 1\nTotal duration: S\.Ss$/);

  let at = 0;
  for (; ; at++) {
    const table = createMemoryTable();
    const first = await carryOut(table, cwd, at);
    if (!first.died) break;
    const kept = await keptTurns(table);
    const second = await carryOut(table, cwd);
    expect([at, await reportIn(table)]).toEqual([at, report]);
    expect([at, second.paid.filter((turn) => kept.has(turn))]).toEqual([at, []]);
    expect([at, new Set([...first.paid, ...second.paid])]).toEqual([at, new Set(all)]);
    expect([at, (await reader(table).tree(ID)).map(({ status }) => status)]).toEqual([
      at,
      Array.from({ length: 5 }, () => 'succeeded'),
    ]);
  }
  expect(at).toBeGreaterThan(50);
});
