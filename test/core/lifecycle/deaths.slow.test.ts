import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import type { Message, ToolCall } from '../../../src/core/records/message.ts';
import { OPEN, isIn, phaseOf } from '../../../src/core/records/phase.ts';
import { nameOf, type Run } from '../../../src/core/records/run.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { call, use } from '../../fixtures/stage.ts';
import { sample, STRIDE } from '../../fixtures/nightly.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount, type Account } from '../../../simulate/world/account.ts';
import type { Asked } from '../../../simulate/world/models.ts';
import { checkRest, marksIn } from './play.ts';

// The process that carries a tree dies with everything in its memory, and a person resumes the tree. The table stays as
// it was after one write or another, so a death after each of them is a death at every operation: before it, or after
// it and before its caller was answered.

const TIMEOUT = 'timeout = 864000\n';
const AGENTS = {
  careful: `${TIMEOUT}tools = ["fork"]\nmode = "ask"\npermissions = { ask = ["fork"] }\n`,
  top: `${TIMEOUT}tools = ["ask_user", "fork"]\nsub_agents = ["kid"]\n`,
  kid: TIMEOUT,
};

type Line = string | ToolCall[] | Error;

interface Scenario {
  agent: keyof typeof AGENTS;
  /** A person's answer to every question. */
  answer: string;
  /** Each agent's part, by its number of earlier parts and its newest message. */
  parts: Record<string, (number: number, told: string) => Line>;
  /** A person's action when nothing else happens. @returns false where there is nothing to do */
  person(account: Account, tree: Run[]): Promise<boolean>;
}

/** Forks, mail both ways, a wait, a kill, and a question. */
const MAIL: Scenario = {
  agent: 'top',
  answer: 'q1',
  parts: {
    top: (number) =>
      [
        [use('fork', { prompt: 'go', name: 'a' }), use('fork', { prompt: 'go', name: 'b' })],
        [use('mail_send', { to: 'a', body: 'm1' })],
        [use('wait', { timeout: 600, from_agents: ['a'] })],
        [use('kill', { uuid: 'b' }), use('mail_send', { to: 'b', body: 'm3' })],
      ][number] ?? 'done',
    a: (number, told) =>
      [
        [use('wait', { timeout: 600 })],
        [use('mail_send', { to: 'top', body: 'm2' })],
        [use('ask_user', { question: 'which?' })],
      ][number] ?? `heard ${told}`,
    b: () => [use('wait', { timeout: 600 })],
  },
  person: async () => false,
};

/** Messages to a sub-agent that has ended, and of a person to a fork of a tree that has. */
const LATER: Scenario = {
  agent: 'top',
  answer: '',
  parts: {
    top: (number) =>
      [
        [use('fork', { prompt: 'go', name: 'a' }), call('kid', 'go')],
        [use('mail_send', { to: 'kid', body: 'm1' })],
      ][number] ?? 'done',
    a: (_, told) => `heard ${told}`,
    kid: (_, told) => `heard ${told}`,
  },
  async person(account, tree) {
    const a = tree.find((run) => nameOf(run) === 'a');
    if (a === undefined || account.live().length > 0) return false;
    if ((await account.store().mails(a.id)).some(({ body }) => body === 'p1')) return false;
    await account.send(a.id, 'p1');
    return true;
  },
};

/** Forks of forks, of which one fails and a person kills another. */
const ENDS: Scenario = {
  agent: 'top',
  answer: 'q1',
  parts: {
    top: (number) =>
      [
        [use('fork', { prompt: 'go', name: 'a' }), use('fork', { prompt: 'go', name: 'b' })],
        [use('wait', { timeout: 600, from_agents: ['a'] })],
      ][number] ?? 'done',
    a: (number) =>
      [[use('fork', { prompt: 'go', name: 'a1' })], [call('kid', 'go')]][number] ?? new Error('broken'),
    a1: () => [use('wait', { timeout: 600 })],
    b: (number) => (number === 0 ? [use('fork', { prompt: 'go', name: 'b1' })] : 'done'),
    b1: () => [use('wait', { timeout: 600 })],
    kid: () => 'done',
  },
  async person(account, tree) {
    const b = tree.filter((run) => ['b', 'b1'].includes(nameOf(run)) && isIn(OPEN, run))[0];
    if (b === undefined) return false;
    await account.kill(b);
    return true;
  },
};

/** Every call that reaches another agent has to be approved first. */
const GATES: Scenario = {
  agent: 'careful',
  answer: 'approve',
  parts: {
    careful: (number) =>
      [
        [use('fork', { prompt: 'go', name: 'a' }), use('fork', { prompt: 'go', name: 'b' })],
        [use('mail_send', { to: 'a', body: 'm1' }), use('kill', { uuid: 'b' })],
        [use('wait', { timeout: 600, from_agents: ['a'] })],
      ][number] ?? 'done',
    a: (number) =>
      [[use('wait', { timeout: 600 })], [use('mail_send', { to: 'careful', body: 'm2' })]][number] ?? 'done',
    b: () => [use('wait', { timeout: 600 })],
  },
  person: async () => false,
};

describe.each(
  sample(1, [
    ['agents that write to each other', MAIL],
    ['agents that are written to later', LATER],
    ['agents that are ended', ENDS],
    ['agents that need approval', GATES],
  ] as const),
)('a tree of %s', (_, scenario) => {
  test('comes to the same whenever its process dies and it is resumed', async () => {
    const writes: Write[] = [];
    const account = await open(recorded(createMemoryTable(), writes));
    const root = await account.start(scenario.agent);
    const whole = await playOn(scenario, account, root);
    for (let count = 0; count < writes.length; count += STRIDE) {
      const resumed = await open(await tableOf(writes.slice(0, count)));
      if ((await resumed.store().run(root)) === undefined) continue;
      await resume(resumed, root);
      expect({ count, left: await playOn(scenario, resumed, root) }).toEqual({ count, left: whole });
    }
  });
});

const open = (table: Table) => openAccount({ table, choices: choicesOf(2), agents: AGENTS });

type Write = (table: Table) => Promise<unknown>;

/** A table that notes everything that was written to it. */
function recorded(table: Table, writes: Write[]): Table {
  const noted = async <T>(write: (to: Table) => Promise<T>): Promise<T> => {
    const result = await write(table);
    writes.push(write);
    return result;
  };
  return {
    ...table,
    putIfAbsent: (...put) => noted((to) => to.putIfAbsent(...put)),
    putIfVersion: (...put) => noted((to) => to.putIfVersion(...put)),
    delete: (key) => noted((to) => to.delete(key)),
  };
}

async function tableOf(writes: readonly Write[]): Promise<Table> {
  const table = createMemoryTable();
  for (const write of writes) await write(table);
  return table;
}

async function resume(account: Account, root: string): Promise<void> {
  await account.resume(root).catch((refusal: unknown) => {
    // It has its answer, and nothing of its tree is left to do.
    if (!(refusal instanceof ConfigError)) throw refusal;
  });
}

/** Has models and people do what they do until nothing is left to do. @returns what the tree has come to */
async function playOn(scenario: Scenario, account: Account, root: string) {
  for (let steps = 0; steps < 100; steps++) {
    await account.settle();
    const tree = await account.store().tree(root);
    const asked = [...account.asked];
    for (const one of asked) {
      const line = lineOf(scenario, tree, one);
      one.say(typeof line === 'string' ? { text: line } : line instanceof Error ? line : { calls: line });
    }
    if (asked.length > 0) continue;
    const [question] = await account.questions(root);
    if (question !== undefined) await account.answer(question, scenario.answer);
    else if (!(await scenario.person(account, tree))) {
      await checkRest({ account, root });
      expect(account.live()).toEqual([]);
      return restOf(account, root);
    }
  }
  throw new Error('the tree does not come to rest');
}

function lineOf({ parts }: Scenario, tree: readonly Run[], { run: id, request: { messages } }: Asked): Line {
  const run = tree.find((one) => one.id === id);
  if (run === undefined) throw new Error(`the model of ${id} is asked, which has no record`);
  const own = messages.slice(messages.findLastIndex(isTask) + 1);
  const last = own.at(-1);
  const listed = last?.role === 'tool' && last.results.find(({ name }) => name === 'mail_check');
  if (listed) {
    const { messages: mails }: { messages: { id: string; unread: boolean }[] } = JSON.parse(listed.text);
    return mails.filter(({ unread }) => unread).map((mail) => use('mail_read', { id: mail.id }));
  }
  const acts = own.filter(
    (message) => message.role === 'assistant' && message.calls.some(({ name }) => !READS.includes(name)),
  );
  const part = parts[nameOf(run)]?.(acts.length, last === undefined ? '' : marksIn(last).join()) ?? 'done';
  const isNotified = last?.role === 'user' && last.text.includes('[Notification: You have');
  // A message that it has read is not waited for any more. It may come before the wait or during it.
  return isNotified && !isWait(part) ? [use('mail_check', {})] : part;
}

const isWait = (part: Line) => Array.isArray(part) && part.some(({ name }) => name === 'wait');

const READS = ['mail_check', 'mail_read'];

function isTask(message: Message): boolean {
  return message.role === 'user' && message.text.startsWith('[You are agent');
}

/** The rest of a tree, without the parts that differ from time to time. */
async function restOf(account: Account, root: string) {
  const store = account.store();
  const tree = await store.tree(root);
  const name = (id = '') => tree.filter((run) => run.id === id).map(nameOf)[0] ?? 'a person';
  return Promise.all(
    tree.map(async (run) => {
      const received = (await store.turns(run.id)).flatMap((turn) => turn.received);
      const results = received.flatMap((message) => (message.role === 'tool' ? message.results : []));
      const mails = await store.mails(run.id);
      const questions = await store.questionsOf(run.id);
      return {
        name: nameOf(run),
        status: phaseOf(run) === 'killed' ? 'killed' : run.status,
        mails: distinct(
          mails.map((mail) => `${mail.isRead ? 'read' : 'unread'}, ${name(mail.from)}: ${mail.body}`),
        ),
        told: received.flatMap(marksIn).sort(),
        asked: questions.map(({ question, answer }) => `${question.question} ${answer?.text}`),
        results: results
          .filter((each) => !READS.includes(each.name))
          .map(({ text }) => text.replaceAll(IDS, '…')),
      };
    }),
  );
}

/** An agent that failed and told so, but died before that was kept, fails once more and tells it again. */
const distinct = (mails: string[]) => [...new Set(mails)].sort();

/** Of runs and messages, and times. */
const IDS = /\w+-\w{14}[\w-]*|\b[0-9a-z]{17}\b|\d{4}-\d\d-\d\dT[\d:.]+Z/g;
