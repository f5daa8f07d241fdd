import { expect, test } from 'vitest';
import { runOverview } from '../../../src/core/reports/run-report.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { inHeldTime, until } from '../../fixtures/held-time.ts';
import { openStage, silence, use, type Asked, type Role, type Stage } from '../../fixtures/stage.ts';

const FORKING = 'tools = ["fork"]\n';
const NOTICE = '[Notification: You have';
const PASSED_OVER = 'messages of other agents were passed over: ';

const isFork = ({ request }: Asked) =>
  request.messages.some((message) => message.role === 'user' && message.text.includes('forked by'));

/** The top forks and answers; what it does after its first notification is its own affair. */
const play = (after: Role, extra = ''): Promise<Stage> =>
  openStage(
    {
      top(asked) {
        if (isFork(asked)) return 'fork done';
        if (asked.turn === 1) return [use('fork', { prompt: 'x' })];
        return asked.turn === 2 ? 'the answer' : after(asked);
      },
    },
    { top: FORKING + extra },
  );

test('an agent that looks at a message and leaves it unread is told of it once', async () => {
  const stage = await play((asked) => (asked.told.startsWith(NOTICE) ? [use('mail_check', {})] : 'seen'));
  const { code, out } = await stage.run();
  const told = stage.asked.map((asked) => asked.told).filter((text) => text.startsWith(NOTICE));
  expect({ code, out, told, turns: stage.asked.filter((asked) => !isFork(asked)).length }).toEqual({
    code: 0,
    out: 'seen',
    told: [`${NOTICE} 1 unread message(s) in your inbox]`],
    turns: 4,
  });
});

test('an agent that has answered keeps its answer, however long it looks at its messages', async () => {
  const stage = await play(() => [use('mail_check', {})]);
  const { code, out, err, run } = await stage.run();
  expect({ code, out, err, status: run.status, turns: run.usage.turns }).toEqual({
    code: 0,
    out: 'the answer',
    err: `${PASSED_OVER}agent exceeded maximum conversation turns (50)\n`,
    status: 'succeeded',
    turns: 50,
  });
});

const broken: Role = () => {
  throw new Error('broken');
};

const looksAndBreaks: Role = (asked) =>
  asked.told.startsWith(NOTICE) ? [use('mail_check', {})] : broken(asked);

test.each<[string, Role, string, string, number]>([
  ['the API fails', broken, '', 'broken', 2],
  ['the API fails after it has looked', looksAndBreaks, '', 'broken', 3],
  ['no turn is left', broken, '[budget]\nmax_turns = 3\n', 'budget exceeded: used 3 of 3 turns', 2],
  [
    'no call is left',
    () => [use('mail_check', {})],
    '[budget]\nmax_tool_calls = 1\n',
    'budget exceeded: used 1 of 1 tool calls',
    3,
  ],
])('an agent that has answered keeps its answer where %s', async (_, after, extra, reason, turns) => {
  const stage = await play(after, extra);
  const ends: string[] = [];
  stage.onEvent((event) => {
    if (event.type === 'run_closed' && event.parent === undefined) ends.push(event.reason);
  });
  const { code, out, err, run, tree } = await stage.run();
  expect({ code, out, err, status: run.status, turns: run.usage.turns, runs: tree.length }).toEqual({
    code: 0,
    out: 'the answer',
    err: `${PASSED_OVER}${reason}\n`,
    status: 'succeeded',
    turns,
    runs: 2,
  });
  expect(ends.at(-1)).toBe(`${PASSED_OVER}${reason}`);
  expect(runOverview(run).error).toBe(`${PASSED_OVER}${reason}`);
  const asked = stage.asked.length;
  expect(await stage.resume(run.id).catch(String)).toContain('already has an answer');
  expect(stage.asked.length).toBe(asked);
});

test('an agent that has answered keeps its answer where time is up', async () => {
  const asked: Asked[] = [];
  const stage = await play((each) => {
    asked.push(each);
    return silence(each);
  });
  const { code, out, err, run } = await inHeldTime(async (pass) => {
    const ending = stage.run({ overrides: { timeout: seconds(60) } });
    await until(() => asked.length === 1);
    pass(60_000);
    return ending;
  });
  expect({ code, out, err, status: run.status }).toEqual({
    code: 0,
    out: 'the answer',
    err: `${PASSED_OVER}timeout: no answer within the 60s that the run was given\n`,
    status: 'succeeded',
  });
});

test('a person can have an agent read what it was not told of', async () => {
  let isUp = false;
  const stage = await play((asked) => {
    if (!isUp) return looksAndBreaks(asked);
    return asked.turn === 4 ? [use('mail_filter', { from: 'x' })] : 'read';
  });
  const { run } = await stage.run();
  isUp = true;
  await stage.environment.send({ run: run.id, text: 'go on' });
  await stage.environment.ended(run.id, { wholeTree: true });
  const ended = await stage.pipeline.store.run(run.id);
  expect({ status: ended?.status, passedOver: ended?.passedOver }).toEqual({
    status: 'succeeded',
    passedOver: undefined,
  });
  const sent = stage.asked.at(-2)?.request.messages.slice(-2);
  expect(sent?.map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(sent?.at(-1)).toEqual({ role: 'user', text: 'go on' });
});

test('a person reads that the turn for a message failed, even after an answer', async () => {
  const stage = await openStage({ top: (asked) => (asked.turn === 1 ? 'the answer' : broken(asked)) });
  const { run } = await stage.run();
  await stage.environment.send({ run: run.id, text: 'go on' });
  await stage.environment.ended(run.id, { wholeTree: true });
  expect(await stage.pipeline.store.run(run.id)).toMatchObject({
    status: 'failed',
    failure: { error: 'Error', message: 'broken' },
  });
});

test('a fork keeps its answer, tells of messages that it could not go on for, and hears the next', async () => {
  let isUp = false;
  const reports: unknown[] = [];
  const stage = await openStage(
    {
      top(asked) {
        if (isFork(asked)) {
          if (asked.turn === 1) return 'fork done';
          return isUp ? `again: ${asked.told}` : broken(asked);
        }
        const [result = '{}'] = asked.results;
        const { from_uuid, body } = JSON.parse(result);
        if (body !== undefined) reports.push({ from_uuid, ...JSON.parse(body) });
        if (asked.turn === 1) return [use('fork', { prompt: 'x', name: 'helper' })];
        if (asked.turn === 3) return [use('mail_send', { to: 'helper', body: 'one' })];
        if (asked.turn === 5) {
          isUp = true;
          return [use('mail_send', { to: 'helper', body: 'two' })];
        }
        return asked.turn < 7 ? [use('wait', { timeout: 60 })] : 'the end';
      },
    },
    { top: FORKING },
  );
  const { out, tree } = await stage.run();
  const [, fork] = tree;
  const report = { from_uuid: fork?.id, status: 'idle' };
  expect({ out, reports, fork: fork?.status }).toEqual({
    out: 'the end',
    reports: [
      { ...report, success: true, summary: 'fork done' },
      { ...report, success: false, error: `${PASSED_OVER}broken`, partial: 'fork done' },
      {
        ...report,
        success: true,
        summary: 'again: [Notification: You have 2 unread message(s) in your inbox]',
      },
    ],
    fork: 'idle',
  });
});
