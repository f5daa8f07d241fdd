import { afterEach, expect, test, vi } from 'vitest';
import { answerQuestion } from '../../../src/core/lifecycle/answer-question.ts';
import type { UnansweredQuestion } from '../../../src/core/records/question.ts';
import { call, openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

// Time passes when a test says so: timers of the interpreter, and the time of day.
afterEach(() => void vi.useRealTimers());
const fakeTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });

/** Lets everything happen that needs no time. */
async function settle(until: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await until())) {
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(0);
  }
}

async function open(stage: Stage): Promise<UnansweredQuestion[]> {
  const questions: UnansweredQuestion[] = [];
  for await (const each of stage.pipeline.store.openQuestions()) {
    if (each.wait !== undefined) questions.push(each);
  }
  return questions;
}

const answer = (stage: Stage, { question }: UnansweredQuestion, text: string) =>
  answerQuestion(question, text, undefined, {
    store: stage.pipeline.store,
    tools: loadOwnTools,
    now: Date.now,
    wake: async () => void vi.advanceTimersByTime(100),
  });

const asks: Role = ({ turn, results, message }) =>
  turn === 1 ? [use('ask_user', { question: message })] : results.join('|');
/** Calls the next level, which asks at the lowest. */
const calls =
  (...agents: string[]): Role =>
  ({ turn, results }) =>
    turn === 1 ? agents.map((agent) => call(agent, 'x')) : results.join('|');

test('five levels wait for two people longer than all of them may take, and siblings gain the time', async () => {
  fakeTime();
  const slow: Role = async ({ turn, signal, results }) => {
    if (turn > 1) return results.join();
    // Works on while the others wait, and longer than the run was given.
    await new Promise((resolve, reject) => {
      setTimeout(resolve, 58_000);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return 'slow';
  };
  const stage = await openStage(
    {
      top: calls('a', 'slow'),
      a: calls('b'),
      b: calls('c'),
      c: calls('d'),
      d: calls('asks', 'other'),
      asks,
      other: asks,
      slow,
    },
    {
      top: 'timeout = 10\npatience = "1m"\nsub_agents = ["a", "slow"]\n[sub_agents_config]\nmax_depth = 5\n',
      a: 'sub_agents = ["b"]\n',
      b: 'sub_agents = ["c"]\n',
      c: 'sub_agents = ["d"]\n',
      d: 'sub_agents = ["asks", "other"]\n',
      asks: 'tools = ["ask_user"]\n',
      other: 'tools = ["ask_user"]\n',
    },
  );
  const ended = stage.run();
  await settle(async () => (await open(stage)).length === 2);
  const [one, two] = await open(stage);
  if (one === undefined || two === undefined) expect.fail('nothing was asked');
  await vi.advanceTimersByTimeAsync(30_000);
  await answer(stage, one, 'first');
  await vi.advanceTimersByTimeAsync(28_000);
  await answer(stage, two, 'second');
  await settle(() => stage.asked.filter(({ agent, turn }) => agent === 'top' && turn === 2).length > 0);
  vi.advanceTimersByTime(100);
  const { code, out, run } = await ended;
  expect({ code, out: out.split('|').sort() }).toEqual({ code: 0, out: ['first', 'second', 'slow'] });
  // Both waited at once: 58 s in all.
  expect(await stage.pipeline.store.clock(run.id)).toEqual({
    patience: 60_000,
    paused: expect.closeTo(58_000, -4),
    open: [],
  });
});

test('patience is used up once for the whole tree, and the agents go on without answers', async () => {
  fakeTime();
  const stage = await openStage(
    { top: calls('asks', 'other'), asks, other: asks },
    {
      top: 'timeout = 10\npatience = "30s"\nsub_agents = ["asks", "other"]\n',
      asks: 'tools = ["ask_user"]\n',
      other: 'tools = ["ask_user"]\n',
    },
  );
  const ended = stage.run();
  await settle(async () => (await open(stage)).length === 2);
  await vi.advanceTimersByTimeAsync(30_000);
  await settle(() => stage.asked.length === 6);
  const { code, out } = await ended;
  expect({ code, out }).toEqual({
    code: 0,
    out: '(question could not be answered)|(question could not be answered)',
  });
});

test('the end of a question is told before what its agent does next, even if its state times out first', async () => {
  fakeTime();
  const stage = await openStage(
    { top: calls('asks'), asks },
    { top: 'patience = "1s"\nsub_agents = ["asks"]\n', asks: 'tools = ["ask_user"]\n' },
  );
  const told: string[] = [];
  stage.onEvent(({ agent, type }) => void told.push(`${agent} ${type}`));
  const { store } = stage.pipeline;
  const { saveQuestion } = store;
  // Time passes between the begin of the state and that of the question, which waits as long.
  store.saveQuestion = (question) => {
    vi.advanceTimersByTime(10);
    return saveQuestion(question);
  };
  const ended = stage.run();
  await settle(async () => (await open(stage)).length === 1);
  vi.advanceTimersByTime(990);
  await settle(() => told.includes('top run_closed'));
  await ended;
  expect(told.slice(told.indexOf('asks question_asked'))).toEqual([
    'asks question_asked',
    'asks question_answered',
    'asks turn_started',
    'asks turn_finished',
    'asks run_closed',
    'top turn_started',
    'top turn_finished',
    'top run_closed',
  ]);
});

test('a copy that waits for a person for longer than it may be silent is not timed out', async () => {
  fakeTime();
  const top: Role = ({ message, turn, results }) => {
    if (turn > 1) return results.join();
    return message === 'ask them'
      ? [use('ask_user', { question: 'well?' })]
      : [use('sub_agent', { prompt: 'ask them' })];
  };
  const stage = await openStage(
    { top },
    { top: 'timeout = 10\npatience = "1h"\ntools = ["sub_agent", "ask_user"]\n' },
  );
  const ended = stage.run();
  await settle(async () => (await open(stage)).length === 1);
  // 120 s of silence end a copy whose model or tools show no sign of life.
  await vi.advanceTimersByTimeAsync(300_000);
  const [question] = await open(stage);
  if (question === undefined) return expect.fail('the copy no longer asks');
  await answer(stage, question, 'well');
  await settle(() => stage.asked.length === 4);
  const { code, out } = await ended;
  expect({ code, out: out.split('\n').at(-1) }).toEqual({ code: 0, out: 'well' });
});
