import { expect, test } from 'vitest';
import { NO_WORKSPACE } from '../../../src/core/lifecycle/no-workspace.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { otherAgents } from '../../../src/core/lifecycle/other-agents.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { DELEGATION_MODEL } from '../../../src/core/records/delegation.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { ConfigError } from '../../../src/errors.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { MAIL_TOOLS } from '../../../src/tools/agents/mail.ts';
import type { Asking } from '../../../src/core/tool-contracts/planned-tool.ts';
import { wait } from '../../../src/tools/agents/wait.ts';
import type { ToolContext } from '../../../src/core/tool-contracts/tool.ts';
import { aDelegation, aFork, aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';
import { Death } from '../../fixtures/mortal.ts';
import { use } from '../../fixtures/stage.ts';

const TOP = aRun();
const FORK = aFork(TOP, { name: 'fork' });

/** Of tools that look at nothing but other agents. */
const CONTEXT: ToolContext = {
  workspace: NO_WORKSPACE,
  seen: { version: async () => undefined, note: async () => {} },
  mayShow: () => false,
  mayChange: async () => false,
  refusalToFollow: () => undefined,
  allowedHosts: [],
  owner: undefined,
  resultPath: '',
  signal: new AbortController().signal,
  tell: () => {},
};
const ASKING: Asking = {
  agent: 'top',
  delegation: aDelegation({ ways: ['wait'] }),
  model: 'm/x',
  tools: [],
};

/** The effect of a call of the top on its fork. */
async function openTree(runs: readonly Run[] = [TOP, FORK]) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of runs) await keepRun(store, run);
  const ports = { ...NOTHING_RUNS, now: () => 0 };
  /** @param other than those of the store */
  const call = (number: number, other: Partial<RunStore> = {}) =>
    otherAgents(TOP, { run: TOP.id, turn: 1, call: number }, { ...ports, store: { ...store, ...other } });
  return { store, call };
}

test('a call that is repeated finds the message that it has delivered, in any later state of the recipient', async () => {
  const { store, call } = await openTree();
  const { id } = await call(1).sendMail('fork', 'hello');
  await call(2).kill('fork');
  expect(await call(1).sendMail('fork', 'hello')).toMatchObject({ id });
  await expect(call(3).sendMail('fork', 'hello')).rejects.toThrow('Recipient agent is dead');
  expect(await store.mails(FORK.id)).toHaveLength(1);
});

test('a message that a call leaves once its tree is at rest, and dies behind, is found by a sweep', async () => {
  const ends = { endedAt: TOP.startedAt };
  const { store, call } = await openTree([
    { ...TOP, status: 'succeeded', ...ends },
    { ...FORK, status: 'idle', ...ends },
  ]);
  const listed = async () => {
    const trees: string[][] = [];
    for await (const tree of await store.openTrees()) trees.push(tree.map(({ id }) => id));
    return trees;
  };
  expect(await listed()).toEqual([]);
  const saveMail: RunStore['saveMail'] = async (...mail) => {
    await store.saveMail(...mail);
    throw new Death();
  };
  await expect(call(1, { saveMail }).sendMail('fork', 'hello')).rejects.toThrow(Death);
  expect(await listed()).toEqual([[TOP.id, FORK.id]]);
});

test('a message to a conversation that no model carries on is refused, with those who would read it', async () => {
  const { store, call } = await openTree();
  const delegation = aSubAgent(TOP, { path: 't1c2', derivedBy: 'delegate_task', model: DELEGATION_MODEL });
  const subtask = {
    ...aSubAgent(TOP, { path: 't1c2_t1c1' }),
    parent: { run: delegation.id, turn: 1, call: 1 },
  };
  const done: Run = { ...subtask, id: `${subtask.id}9`, path: 't1c2_t1c2', status: 'succeeded' };
  for (const run of [delegation, subtask, done]) await keepRun(store, run);
  const why = `carries out delegate_task, and no model reads its messages; write to ${TOP.id} or ${subtask.id}`;
  await expect(call(3).sendMail(delegation.id, 'hello')).rejects.toThrow(`Recipient agent ${why}`);
  await expect(leaveMessage({ run: delegation.id, text: 'hello' }, { store, now: () => 0 })).rejects.toThrow(
    new ConfigError(`run "${delegation.id}" ${why}`),
  );
  expect(await store.mails(delegation.id)).toEqual([]);
});

test("a person's line to a fork fills no mailbox, and messages do", async () => {
  const { store, call } = await openTree();
  const sentAt = new Date(0).toISOString();
  for (let count = 1; count < 1000; count++) {
    await store.saveMail(FORK.id, { from: TOP.id, body: 'x', sentAt });
  }
  for (let count = 0; count < 2; count++) {
    await store.saveMail(FORK.id, { body: 'x', kind: 'capture', isRead: true, sentAt });
  }
  await call(1).sendMail('fork', 'hello');
  const full = 'Inbox of the recipient is full: it holds 1000 messages';
  await expect(call(2).sendMail('fork', 'more')).rejects.toThrow(full);
});

test('a list of more than 100 messages says how many it leaves out', async () => {
  const { store, call } = await openTree();
  const sentAt = new Date(0).toISOString();
  for (let count = 0; count < 101; count++) {
    await store.saveMail(TOP.id, { from: FORK.id, fromName: 'fork', body: 'x', sentAt });
  }
  const list = async (name: string, args: object) => {
    const tool = MAIL_TOOLS.find(({ definition }) => definition.name === name);
    const { text = '' } = (await tool?.run({ ...args }, { ...CONTEXT, agents: call(1) })) ?? {};
    const { messages, left_out }: { messages: object[]; left_out?: number } = JSON.parse(text);
    return { listed: messages.length, left_out };
  };
  expect(await list('mail_check', {})).toEqual({ listed: 100, left_out: 1 });
  expect(await list('mail_filter', { from: 'fork' })).toEqual({ listed: 100, left_out: 1 });
  expect(await list('mail_filter', { from: 'nobody' })).toEqual({ listed: 0, left_out: undefined });
});

test('a wait for more agents than it takes is refused', () => {
  const from_agents = Array.from({ length: 101 }, (_, index) => `agent${index}`);
  expect(wait.plan(use('wait', { timeout: 1, from_agents }), ASKING)).toEqual({
    kind: 'done',
    text: 'Error: wait takes at most 100 agents at once, not 101',
    isError: true,
  });
  const fewer = use('wait', { timeout: 1, from_agents: from_agents.slice(1) });
  expect(wait.plan(fewer, ASKING)).toMatchObject({ kind: 'wait', from: from_agents.slice(1) });
});
