import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answerQuestion } from '../../../src/core/lifecycle/answer-question.ts';
import { ConfigError } from '../../../src/errors.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { phaseOf } from '../../../src/core/records/phase.ts';
import { isBeside, nameOf, type Run } from '../../../src/core/records/run.ts';
import { randomOf } from '../../fixtures/random-of.ts';
import { openStage, openStageIn, use, type Asked, type Role, type Stage } from '../../fixtures/stage.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

// Random programs of agents, carried out by one process while another one writes to its agents, answers them and kills
// them; and a writer to a tree without a carrier carries it on.

const MARKS = /\b[mp]\d+\b/g;

/** The agents' actions are random, except that they read their mail as soon as they learn of it. */
function player(random: () => number): { role: Role; told: Map<string, string[]>; turns: string[] } {
  let next = 1;
  let forks = 0;
  const told = new Map<string, string[]>();
  const turns: string[] = [];
  const role: Role = async (asked) => {
    const name = nameIn(asked);
    turns.push(`${name}: ${asked.turn}`);
    told.set(name, [...(told.get(name) ?? []), ...marksIn(asked)]);
    await delay(random() * 30);
    const read = reading(asked);
    if (read !== undefined) return read;
    const dice = random();
    const others = ['top', ...Array.from({ length: forks }, (_, index) => `f${index + 1}`)];
    const to = others[Math.floor(random() * others.length)] ?? 'top';
    if (dice < 0.2 && forks < 6) return [use('fork', { prompt: 'go', name: `f${++forks}` })];
    if (dice < 0.4 && next <= 25) return [use('mail_send', { to, body: `m${next++}` })];
    if (dice < 0.45) return [use('wait', { timeout: 1 })];
    if (dice < 0.52) return [use('ask_user', { question: 'which?' })];
    if (dice < 0.56) return [use('kill', { uuid: to })];
    return 'done';
  };
  return { role, told, turns };
}

function reading({ request, results, told }: Asked): ToolCall[] | undefined {
  const last = request.messages.at(-1);
  if (told.includes('[Notification: You have')) return [use('mail_check', {})];
  const listed = last?.role === 'tool' && last.results.find(({ name }) => name === 'mail_check');
  if (!listed || results.length === 0) return undefined;
  const { messages }: { messages: { id: string; unread: boolean }[] } = JSON.parse(listed.text);
  const unread = messages.filter((mail) => mail.unread);
  return unread.length === 0 ? undefined : unread.map(({ id }) => use('mail_read', { id }));
}

function nameIn({ request }: Asked): string {
  const texts = request.messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
  return texts.findLast((text) => text.startsWith('[You are agent'))?.split('"')[1] ?? 'top';
}

/** An agent's newest messages: none of the inherited ones. */
function marksIn({ request: { messages } }: Asked): string[] {
  const from = messages.findLastIndex(
    (message) =>
      message.role === 'assistant' || (message.role === 'user' && message.text.startsWith('[You are agent')),
  );
  return messages.slice(from + 1).flatMap((message) => {
    if (message.role === 'user') return message.text.match(MARKS) ?? [];
    if (message.role !== 'tool') return [];
    const heard = message.results.filter(({ name }) => ['mail_read', 'wait'].includes(name));
    return heard.flatMap(({ text }) => text.match(MARKS) ?? []);
  });
}

/** Writes to an agent from another process. @returns whether it was accepted */
async function write({ environment }: Stage, run: Run, text: string): Promise<boolean> {
  try {
    const { isLeftToAnother } = await environment.send({ run: run.id, text });
    if (!isLeftToAnother) await environment.ended(run.id, { wholeTree: true });
    return true;
  } catch (thrown) {
    if (thrown instanceof ConfigError) return false;
    throw thrown;
  }
}

async function answerAll({ pipeline: { store } }: Stage): Promise<void> {
  for await (const { question } of store.openQuestions()) {
    const ports = { store, tools: loadOwnTools, now: Date.now, wake: async () => {} };
    await answerQuestion(question, 'this', undefined, ports).catch(() => {});
  }
}

/** The most that people do in one tree. */
const DEEDS = 12;

/** Plays a tree. @returns what is wrong with what is left of it */
async function play(seed: number): Promise<object[]> {
  const random = randomOf(seed);
  const { role, told, turns: asked } = player(random);
  const toml = 'tools = ["fork", "ask_user"]\ntimeout = 60\npatience = "1m"\n';
  const one = await openStage({ top: role }, { top: toml });
  const other = await openStageIn(one.cwd, { top: role });
  const { store, local } = other.pipeline;
  const { locks } = local;
  const tree = async () => {
    for await (const { id } of store.roots(1)) return store.tree(id);
    return [];
  };
  const accepted: { text: string; run: string }[] = [];
  const working: Promise<unknown>[] = [one.run()];
  for (let deed = 1; deed <= DEEDS; deed++) {
    await delay(20 + random() * 30);
    await answerAll(other);
    const runs = await tree();
    const run = runs[Math.floor(random() * runs.length)];
    if (run === undefined) continue;
    if (random() < 0.12 && run.parent !== undefined) {
      await other.environment.kill(run).catch(() => undefined);
      working.push(other.environment.ended(run.root, { wholeTree: true }));
      continue;
    }
    const text = `p${deed}`;
    const written = write(random() < 0.5 ? one : other, run, text);
    working.push(written.then((isAccepted) => isAccepted && accepted.push({ text, run: run.id })));
  }
  let isOver = false;
  const ended = Promise.all(working).finally(() => (isOver = true));
  while (!isOver) {
    await answerAll(other);
    await delay(20);
  }
  await ended;
  const runs = await tree();
  const wrong: object[] = [];
  const left = runs.filter((run) => run.status === 'running' || (run.status === 'idle' && !isBeside(run)));
  if (left.length > 0) wrong.push({ left: left.map(nameOf) });
  if (await locks.isTaken(runs[0]?.root ?? '')) wrong.push({ isHeld: true });
  // No process dies here, so none asks a model for an answer that another one has asked for.
  const again = repeated(asked);
  if (again.length > 0) wrong.push({ askedAgain: again });
  for (const run of runs.filter(
    (one) => phaseOf(one) !== 'killed' && ['idle', 'succeeded'].includes(one.status),
  )) {
    const name = nameOf(run);
    const seen = new Set(told.get(name));
    const lost = accepted.filter(({ run: to, text }) => to === run.id && !seen.has(text));
    if (lost.length > 0) wrong.push({ name, lost });
    const unread = (await store.mails(run.id)).filter((mail) => !mail.isRead && mail.kind !== 'report');
    if (unread.length > 0) wrong.push({ name, unread });
    const turns = await store.turns(run.id);
    const twice = repeated(turns.flatMap(({ told: ids = [] }) => ids));
    if (twice.length > 0) wrong.push({ name, twice });
  }
  return wrong;
}

function repeated(all: readonly string[]): string[] {
  return all.filter((one, index) => all.indexOf(one) !== index);
}

test('with agents in one process and people in another, no agent is lost and nothing is told twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      expect({ seed, wrong: await play(seed) }).toEqual({ seed, wrong: [] });
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
