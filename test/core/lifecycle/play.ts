import fc from 'fast-check';
import { expect } from 'vitest';
import { shownTree } from '../../../src/core/reports/shown-tree.ts';
import type { Message, ToolCall } from '../../../src/core/records/message.ts';
import { phaseOf } from '../../../src/core/records/phase.ts';
import { isBeside, nameOf, type Run } from '../../../src/core/records/run.ts';
import { usageOf } from '../../../src/core/records/turn.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { use } from '../../fixtures/stage.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount, type Account } from '../../../simulate/world/account.ts';
import type { Fault } from '../../../simulate/world/invocations.ts';
import type { Asked } from '../../../simulate/world/models.ts';

/** Ten days, so that no deadline comes. */
const TIMEOUT = 'timeout = 864000\n';
const AGENTS = {
  top: `${TIMEOUT}tools = ["ask_user", "fork"]\nsub_agents = ["kid", "mute", "aide", "clerk"]\n[sub_agents_config]\nbackground = true\n`,
  /** May do all that the top may, but call others. */
  kid: `${TIMEOUT}tools = ["ask_user", "fork"]\n`,
  /** Has no tools, and so no way to look into its mailbox. */
  mute: TIMEOUT,
  /** The same, for calls in the background. */
  aide: `${TIMEOUT}tools = ["ask_user", "fork"]\n`,
  clerk: TIMEOUT,
};

/** When a function dies, which is then called again. */
export const faults = fc.option(
  fc.record<Fault>({ at: fc.nat(1_500), when: fc.constantFrom('before', 'after') }),
  { nil: undefined },
);

/** Every message has a number, by which it is found again in models' prompts. */
const MARKS = /\b[a-z]\d+\b/g;

/** A tree in an account, whose agents read their mail as soon as they learn of it. */
export interface Play {
  account: Account;
  root: string;
  /** Until nothing happens any more but what a model or a person is asked for. */
  settle(): Promise<void>;
  /** A person writes, and the schedule has it delivered where the function dies that was to do it. */
  send(run: string, text: string): Promise<void>;
  /** The question to its model, if there is one. */
  asked(run: string): Asked | undefined;
  tree(): Promise<Run[]>;
  runNamed(name: string): Promise<Run>;
  /** The marks of what a run was told, in order. */
  seen(run: Run): Promise<string[]>;
}

export async function openPlay(table: Table, seed: number, fault?: Fault): Promise<Play> {
  const account = await openAccount({ table, choices: choicesOf(seed), fault, agents: AGENTS });
  const root = await account.start('top');

  async function settle(): Promise<void> {
    for (;;) {
      await account.settle();
      const asked = [...account.asked];
      const records = await Promise.all(asked.map(({ run }) => account.store().run(run)));
      const lines = asked.map((one, index) => automatic(one, records[index]));
      if (lines.every((line) => line === undefined)) return;
      asked.forEach((one, index) => {
        const calls = lines[index];
        if (calls !== undefined) one.say({ calls });
      });
    }
  }

  await settle();
  return {
    account,
    root,
    settle,
    async send(run, text) {
      if (!(await account.send(run, text))) await account.sweep();
      await settle();
    },
    asked: (run) => account.asked.find((one) => one.run === run),
    tree: () => account.store().tree(root),
    async runNamed(name) {
      const run = (await account.store().tree(root)).find((one) => nameOf(one) === name);
      if (run === undefined) throw new Error(`there is no agent "${name}"`);
      return run;
    },
    async seen(run) {
      const turns = await account.store().turns(run.id);
      const pending = account.asked.find((one) => one.run === run.id)?.request.messages ?? [];
      // Earlier messages are kept with its turns, or inherited.
      const last = pending.findLastIndex((message) => message.role === 'assistant' || isOwnTask(message));
      return [...turns.flatMap(({ received }) => received), ...pending.slice(last + 1)].flatMap(marksIn);
    },
  };
}

/** An agent's lines that no test has to choose: looking into its mailbox, and lines without a reader. */
function automatic({ request }: Asked, record: Run | undefined): ToolCall[] | undefined {
  if (record === undefined || record.status !== 'running') {
    // It was ended while its model was at work: the model's answer begins nothing any more.
    const isOver = record !== undefined && phaseOf(record) === 'killed';
    return isOver ? [use('fork', { prompt: 'z1' }), use('mail_send', { to: 'top', body: 'z1' })] : [NOTHING];
  }
  const { messages } = request;
  // Ends of agents may follow the results of its calls.
  const newest = messages.slice(1 + messages.findLastIndex(({ role }) => role === 'assistant'));
  if (newest.some((one) => one.role === 'user' && one.text.includes('[Notification: You have')))
    return [LOOK];
  const results = newest.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const listed = results.find(({ name }) => name === 'mail_check');
  if (listed === undefined) return undefined;
  const unread = listedIn(listed.text).filter((mail) => mail.unread);
  return unread.length === 0 ? undefined : unread.toReversed().map(({ id }) => use('mail_read', { id }));
}

const LOOK = use('mail_check', {});
const NOTHING = use('mail_filter', { from: 'nobody' });

function listedIn(text: string): { id: string; unread: boolean }[] {
  if (!text.startsWith('{')) return [];
  const { messages } = JSON.parse(text);
  return messages;
}

function isOwnTask(message: Message): boolean {
  return message.role === 'user' && message.text.startsWith('[You are agent');
}

export function marksIn(message: Message): string[] {
  if (message.role === 'user') return message.text.match(MARKS) ?? [];
  if (message.role !== 'tool') return [];
  return message.results
    .filter(({ name }) => ['mail_read', 'wait', 'call_agent', 'ask_user'].includes(name))
    .flatMap(({ text }) => text.replaceAll('\\n', ' ').match(MARKS) ?? []);
}

/** These hold as soon as nothing happens any more, after any play. */
export async function checkRest({ account, root }: Pick<Play, 'account' | 'root'>): Promise<void> {
  const store = account.store();
  const tree = await store.tree(root);
  expect(account.wrongs).toEqual([]);
  const live = account.live();
  const carried = tree.filter((run) => run.status === 'running' || (run.status === 'idle' && !isBeside(run)));
  // Every agent at work has an execution, and no other has.
  expect(live.map(({ arn }) => arn).toSorted()).toEqual(carried.map(({ execution }) => execution).toSorted());
  const [top] = tree;
  if (top === undefined) throw new Error('the tree has no top');
  const shown = await shownTree(top, { ...store, isCarriedOut: async () => true });
  const usages = await Promise.all(
    tree.map(async ({ id }) => ({ id, usage: usageOf(await store.turns(id)) })),
  );
  expect(shown.map(({ id, usage }) => ({ id, usage }))).toEqual(usages);
  for (const run of tree.filter(({ status }) => status === 'idle')) {
    const unread = (await store.mails(run.id)).filter(({ isRead }) => !isRead);
    expect({ idle: run.id, unread }).toEqual({ idle: run.id, unread: [] });
  }
}
