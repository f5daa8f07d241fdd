import { seconds } from '../../../src/core/records/times.ts';
import * as v from 'valibot';
import { expect, onTestFinished, test, vi } from 'vitest';
import definition from '../../../infra/conversation.asl.json' with { type: 'json' };
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { openRun } from '../../../src/core/lifecycle/open.ts';
import { takeTurn } from '../../../src/core/turn/turn.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { control } from '../../../src/core/lifecycle/control.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { answerQuestion, wakeAsker } from '../../../src/core/lifecycle/answer-question.ts';
import { carryOutCall } from '../../../src/core/turn/call.ts';
import type { CallKey } from '../../../src/core/records/call.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { ModelError } from '../../../src/errors.ts';
import type { Model } from '../../../src/core/model/model.ts';
import {
  addUse,
  DOCUMENT_KILOBYTES,
  useOf,
  useOfFork,
  useOfMessage,
  type PlannedConversation,
  type Use,
} from '../../../src/authoring/plan/use.ts';
import { createEmbeddedExecutions } from '../../../src/places/local/embedded.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { createStateMachines } from '../../../src/asl/create-state-machines.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createFolderBlobs } from '../../../src/places/local/store/folder-blobs.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { createMemories } from '../../../src/places/store/memories.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Key, Table } from '../../../src/places/store/table.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { call, latch, use } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anAnswer, aRun } from '../../fixtures/records.ts';

/** Reads and writes of a table: documents are what is said, records what is known of a run. */
interface Accesses {
  documentReads: number;
  documentWrites: number;
  recordReads: number;
  recordWrites: number;
}

/** Counts what a table is asked for, by the run that it is asked for, as DynamoDB bills it. */
function counting(table: Table, counts: Map<string, Accesses>, asking: string): Table {
  const count = (what: keyof Accesses) => {
    const before = counts.get(asking) ?? NONE;
    counts.set(asking, { ...before, [what]: before[what] + 1 });
  };
  const isDocument = ({ partition, sort }: Key) => partition.startsWith('run#') && sort !== 'ledger';
  return {
    delete(key) {
      count('recordWrites');
      return table.delete(key);
    },
    close: () => table.close(),
    async get(key) {
      const item = await table.get(key);
      count(item !== undefined && isDocument(key) ? 'documentReads' : 'recordReads');
      return item;
    },
    async putIfAbsent(key, value, options) {
      const put = await table.putIfAbsent(key, value, options);
      count(isDocument(key) ? 'documentWrites' : 'recordWrites');
      if (!put.written) count('recordReads');
      return put;
    },
    putIfVersion(...given) {
      count('recordWrites');
      return table.putIfVersion(...given);
    },
    async *query(...given) {
      for await (const item of table.query(...given)) {
        count('documentReads');
        yield item;
      }
    },
  };
}
const NONE: Accesses = { documentReads: 0, documentWrites: 0, recordReads: 0, recordWrites: 0 };

/** Which run the control function is called for. */
const Controlled = v.union([
  v.pipe(
    v.object({ ask: v.looseObject({ run: v.string() }) }),
    v.transform(({ ask }) => ask.run),
  ),
  v.pipe(
    v.object({ rest: v.looseObject({ run: v.string() }) }),
    v.transform(({ rest }) => rest.run),
  ),
  v.pipe(
    v.object({ call: v.looseObject({ run: v.string() }) }),
    v.transform(({ call: { run } }) => run),
  ),
]);
const Names = v.object({ run: v.optional(v.string()), name: v.optional(v.string()) });

/** The calls that an agent makes. Each turn of a fork comes once the one that forked it waits once more. */
type Says = (agent: string, turn: number) => (string | ToolCall)[];

/** Runs conversations as they run in the cloud: every call of a function starts with nothing in memory. */
async function play(says: Says, extra = '') {
  const cwd = await tempFolder({ a: 'one' });
  const id = newRunId('top', Date.now());
  const waiting = [latch(), latch()];
  const forkAsks = latch();
  let waits = 0;
  const table = await openLmdbTable(`${cwd}/store`);
  onTestFinished(() => table.close());
  const counts = new Map<string, Accesses>();
  const coldStore = (asking: string) => {
    const counted = counting(table, counts, asking);
    const documents = createDocuments(counted, createFolderBlobs(`${cwd}/blobs`));
    return { store: createRunStore(counted, documents), memories: createMemories(counted) };
  };
  const uncounted = createRunStore(table, createDocuments(table, createFolderBlobs(`${cwd}/blobs`)));
  const underWay = async () => {
    const tree = await uncounted.tree(id);
    return tree.filter(({ status }) => status === 'running').map(({ name }) => name ?? 'top');
  };
  const modelOf = (agent: string): Model => ({
    async send({ messages }) {
      const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
      const isFork = messages.some(
        (message) => message.role === 'user' && message.text.includes('forked by'),
      );
      if (isFork) forkAsks.open();
      if (isFork) await waiting[turn - 1]?.opened;
      const last = messages.at(-1);
      // The turns that a fork reads before it is counted: there is one of them.
      if (last?.role === 'tool' && last.results[0]?.name === 'fork') await forkAsks.opened;
      // A fork writes what it has come to, and is idle after that.
      if (last?.role === 'tool' && last.results[0]?.name === 'wait')
        await vi.waitFor(async () => expect(await underWay()).toEqual(['top']), { timeout: 20_000 });
      const calls = says(isFork ? 'fork' : agent, turn).map((made) =>
        typeof made === 'string' ? call(made, 'x') : made,
      );
      return anAnswer({ text: 'k', calls });
    },
  });
  const ports = {
    tools: loadOwnTools,
    models: { open: async (model: string) => ({ model: modelOf(model.slice(2)), name: model }) },
    prices: createPrices(),
    source: {
      list: async () => [],
      readSkill: async () => undefined,
      read: async (name: string) =>
        parseAgent(name, {
          path: name,
          root: cwd,
          bytes: Buffer.from(
            `name = "${name}"\nmodel = "m/${name}"\nsub_agents = ["kid", "failing"]\n${extra}`,
          ),
        }),
    },
    cwd,
    openWorkspace: openFolderWorkspace,

    now: Date.now,
    random: Math.random,
    invocation: () => 'one',
    mayBeAtWork: () => false,
    sleep: async () => {},
    reach: () => ({ workspace: openFolderWorkspace(cwd) }),
  };
  const wake = async (taskToken: string, output = {}) => {
    machines.sendTaskSuccess({ taskToken, output });
  };
  /** As the API and the function that it has wake the machine. */
  async function approve({ run, turn, call: of }: CallKey): Promise<void> {
    const { store } = coldStore(run);
    await store.run(run);
    const question = await store.question({ run, turn, call: of });
    if (question === undefined) throw new Error('nothing is asked');
    await answerQuestion(question, 'approve', undefined, {
      store,
      tools: loadOwnTools,
      now: Date.now,
      wake: () => wakeAsker({ run, turn, call: of }, coldStore(run).store, wake),
    });
  }
  async function reach(event: unknown, signal: AbortSignal): Promise<void> {
    const executions = createEmbeddedExecutions(machines, stateMachineArn);
    const { person, mail } = await control(
      event,
      { ...ports, ...coldStore(v.parse(Controlled, event)), executions, wake, openBucket: async () => {} },
      signal,
    );
    if (person !== undefined) await approve(person.question);
    if (mail !== undefined) waiting[waits++]?.open();
  }
  const machines = createStateMachines({
    async invokeLambda(name, payload, { signal }) {
      const { run, name: execution } = v.parse(Names, payload);
      const cold = { ...ports, ...coldStore(run ?? execution ?? '') };
      try {
        const result =
          name === 'OpenFunction'
            ? await openRun(payload, cold)
            : name === 'TurnFunction'
              ? await takeTurn(payload, cold, signal)
              : name === 'ToolFunction'
                ? await carryOutCall(payload, cold, signal)
                : name === 'ControlFunction'
                  ? await reach(payload, signal)
                  : await settleRun(payload, { ...NOTHING_RUNS, ...cold });
        return { payload: JSON.parse(JSON.stringify(result ?? null)) };
      } catch (thrown) {
        return {
          payload: { errorType: 'ModelError', errorMessage: String(thrown) },
          functionError: 'Unhandled',
        };
      }
    },
  });
  const text = JSON.stringify(definition)
    .replaceAll('${Partition}', 'aws')
    .replaceAll(/\$\{(\w+)\}/g, '$1');
  const { stateMachineArn } = machines.createStateMachine({
    name: 'm',
    definition: text,
    roleArn: 'arn:aws:iam::123456789012:role/r',
  });

  const { store: api } = coldStore(id);
  await api.run(id);
  await api.saveRequest(id, { agent: 'top', prompt: 'go' });
  const { executionArn } = machines.startExecution({ stateMachineArn, name: id, input: { agent: 'top' } });
  await api.insertRun(recordOf(id, executionArn));
  await machines.ended(executionArn);
  const others = machines
    .listExecutions({ stateMachineArn })
    .map((other) => machines.ended(other.executionArn));
  await Promise.all(others);
  const child = [...counts].find(([key]) => key.startsWith('kid'))?.[1];
  return { top: counts.get(id), child, all: [...counts.values()].reduce(together) };
}

function recordOf(id: string, execution: string): Run {
  return aRun({ id, model: 'm/top', startedAt: new Date().toISOString(), execution, timeout: seconds(120) });
}

test.each([
  { top: [] },
  { top: [['kid']] },
  { top: [['kid', 'kid'], ['kid'], ['kid', 'kid', 'kid']] },
  { top: [['kid', 'failing'], ['failing'], ['kid']] },
])('functions read and write about what a plan says, where the top calls $top', async ({ top }) => {
  const { top: ofTop, child } = await play((agent, turn) => {
    if (agent === 'failing') throw new ModelError('server', 'gone');
    return agent === 'top' ? (top[turn - 1] ?? []) : [];
  });
  const calls = top.flat();
  const failed = calls.filter((name) => name === 'failing').length;
  const used = { calls: calls.length, failed, toolCalls: 0, turns: top.length + 1, isTop: true };
  expectAbout(ofTop, planned(used));
  if (calls.length > 0) {
    expectAbout(child, planned({ calls: 0, failed: 0, toolCalls: 0, turns: 1, isTop: false }));
  }
});

test('an approval adds about what a plan says to what functions read and write', async () => {
  const says = (_: string, turn: number) => (turn === 1 ? [use('read_file', { path: 'a' })] : []);
  const tools = 'tools = ["read_file"]\npatience = "1m"\n';
  const [free, asked] = [
    await play(says, tools),
    await play(says, `${tools}permissions = { ask = ["*"] }\n`),
  ];
  const used = { turns: 2, calls: 0, failed: 0, toolCalls: 1, isTop: true };
  const [with1, without] = [planned({ ...used, approvals: 1 }), planned(used)];
  expectAbout(difference(asked.top, free.top), addUse(with1, without, -1));
});

test('a fork, and a message that wakes it, add about what a plan says', async () => {
  const wait = () => [use('wait', { timeout: 60 })];
  const turns = [() => [use('fork', { prompt: 'x' })], wait];
  const more = [() => [use('mail_send', { to: 'top-fork', body: 'x' })], wait];
  const played = async (calls: (() => ToolCall[])[]) =>
    (await play((agent, turn) => (agent === 'top' ? (calls[turn - 1]?.() ?? []) : []), 'tools = ["fork"]\n'))
      .all;
  const [forked, written] = [await played(turns), await played([...turns, ...more])];
  const plain = (turns: number) => planned({ turns, calls: 0, failed: 0, toolCalls: 0, isTop: true });
  expectAbout(forked, addUse(plain(3), useOfFork()));
  expectAbout(difference(written, forked), addUse(addUse(plain(5), plain(3), -1), useOfMessage()));
});

function planned(conversation: Omit<PlannedConversation, 'hasLargeTexts'>): Use {
  return useOf({ ...conversation, hasLargeTexts: false });
}

/** Holds a plan to within a factor of two of what was counted, in units of the table. */
function expectAbout(counted: Accesses | undefined, { tableReads, tableWrites }: Use): void {
  const { documentReads, documentWrites, recordReads, recordWrites } = counted ?? NONE;
  const reads = recordReads + documentReads * Math.ceil(DOCUMENT_KILOBYTES / 4);
  const writes = recordWrites + documentWrites * DOCUMENT_KILOBYTES;
  const isAbout = (plan: number, count: number) => plan >= count / 2 && plan <= 2 * count;
  expect({ tableReads, tableWrites, reads, writes }).toSatisfy(
    () => isAbout(tableReads, reads) && isAbout(tableWrites, writes),
  );
}

function together(one: Accesses, other: Accesses): Accesses {
  return difference(one, difference(NONE, other));
}

function difference(one = NONE, other = NONE): Accesses {
  return {
    documentReads: one.documentReads - other.documentReads,
    documentWrites: one.documentWrites - other.documentWrites,
    recordReads: one.recordReads - other.recordReads,
    recordWrites: one.recordWrites - other.recordWrites,
  };
}
