import { expect, test } from 'vitest';
import { MAX_PLANNED_EVENTS } from '../../../src/core/machine/costs.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { call, use } from '../../fixtures/stage.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount } from '../../../simulate/world/account.ts';
import { checkRest, openPlay, type Play } from './play.ts';

type Line = Parameters<NonNullable<ReturnType<Play['asked']>>['say']>[0];

/** Has the model of an agent say something, and everything come to rest. */
const sayIn = (play: Play) => async (name: string, line: Line) => {
  play.asked((await play.runNamed(name)).id)?.say(line);
  await play.settle();
};

test('an agent that waits for a sub-agent which takes no messages goes on when that has answered', async () => {
  const play = await openPlay(createMemoryTable(), 1);
  const say = sayIn(play);
  await say('top', { calls: [use('fork', { prompt: 'p', name: 'fork' })] });
  await say('top', { calls: [call('mute', 't')] });
  await say('fork', { calls: [use('wait', { timeout: 600, from_agents: ['mute'] })] });
  expect(play.asked((await play.runNamed('fork')).id)).toBeUndefined();
  await say('mute', { text: 'done' });
  expect(play.asked((await play.runNamed('fork')).id)).toBeDefined();
});

/** A person stops the whole tree, and resumes it. */
async function stopAndResume({ account, root, runNamed, settle }: Play): Promise<void> {
  await account.stop((await runNamed('top')).execution);
  await settle();
  await account.resume(root);
  await settle();
}

test('an agent that waits for one above it waits again once their tree, which was stopped, is resumed', async () => {
  const play = await openPlay(createMemoryTable(), 1);
  const say = sayIn(play);
  await say('top', { calls: [use('fork', { prompt: 'p', name: 'fork' })] });
  await say('fork', { calls: [use('wait', { timeout: 600, from_agents: [play.root] })] });
  await say('top', { calls: [call('kid', 't')] });
  await stopAndResume(play);
  expect(play.asked((await play.runNamed('kid')).id)).toBeDefined();
  expect(play.asked((await play.runNamed('fork')).id)).toBeUndefined();
});

test('an agent is told of the answer that it asked for, and of no stop that ended both', async () => {
  const play = await openPlay(createMemoryTable(), 1);
  const { account, root } = play;
  const say = sayIn(play);
  await say('top', { calls: [call('kid', 't')] });
  await say('kid', { text: 'a1' });
  await say('top', { text: 'a2' });
  const { id } = await play.runNamed('kid');
  await play.send(id, 'p1');
  await say('kid', { calls: [use('mail_send', { to: root, body: 'm1' })] });
  await stopAndResume(play);
  await say('kid', { text: 'a3' });
  await say('top', { text: 'a4' });
  expect((await account.store().mails(id)).map(({ body }) => body)).toEqual([
    'p1',
    JSON.stringify({ status: 'idle', success: true, summary: 'a4' }),
  ]);
});

/** As many answers of a run as the history of one execution has room for. */
async function fillHistory({ account }: Play, run: string): Promise<void> {
  const store = account.store();
  const [turn] = await store.turns(run);
  const answer: Turn | undefined = turn && { ...turn, answer: { ...turn.answer, calls: [] }, plans: [] };
  const made = (await store.turns(run)).length;
  for (let number = made + 1; answer !== undefined && number < MAX_PLANNED_EVENTS / 13; number++) {
    await store.saveTurn(run, { ...answer, number });
  }
}

test('an agent that has been idle too often for one execution waits in its next one', async () => {
  const play = await openPlay(createMemoryTable(), 1);
  const { account, root } = play;
  const say = async (run: string, line: Parameters<NonNullable<ReturnType<typeof play.asked>>['say']>[0]) => {
    play.asked(run)?.say(line);
    await play.settle();
  };
  await say(root, { calls: [use('fork', { prompt: 'p', name: 'fork' })] });
  const fork = (await play.runNamed('fork')).id;
  await say(root, { text: 'a1' });
  await fillHistory(play, root);
  const before = (await account.store().turns(root)).length;
  await account.send(root, 'p1');
  await play.settle();
  await say(root, { text: 'a2' });
  expect(await play.runNamed('top')).toMatchObject({ status: 'idle', holder: 2 });
  expect(account.live().filter(({ run }) => run === root)).toEqual([
    { arn: expect.stringMatching(/-r2$/), run: root, state: 'Idle' },
  ]);
  await checkRest(play);
  await say(fork, { text: 'a3' });
  await say(root, { text: 'a4' });
  expect(await play.runNamed('top')).toMatchObject({ status: 'succeeded', holder: 2 });
  expect(account.live()).toEqual([]);
  const turns = (await account.store().turns(root)).slice(before);
  expect(turns[0]).not.toHaveProperty('execution');
  expect(new Set(turns.slice(1).map(({ execution }) => execution))).toEqual(new Set([`${root}-r2`]));
});

test('a sub-agent that has been idle too often ends with its answer, and its forks with it', async () => {
  const play = await openPlay(createMemoryTable(), 1);
  const { account } = play;
  const say = sayIn(play);
  await say('top', { calls: [call('kid', 't')] });
  await say('kid', { calls: [use('fork', { prompt: 'p', name: 'fork' })] });
  await say('kid', { text: 'a1' });
  const kid = (await play.runNamed('kid')).id;
  await fillHistory(play, kid);
  await account.send(kid, 'p1');
  await play.settle();
  await say('kid', { text: 'a2' });
  expect(await play.runNamed('kid')).toMatchObject({ status: 'succeeded' });
  expect(await play.runNamed('fork')).toMatchObject({
    status: 'stopped',
    failure: { message: 'the history of the execution that waits for it is full' },
  });
  expect(await play.seen(await play.runNamed('top'))).toContain('a2');
});

test('an agent waits as long as it wants to, although its tree has waited for a person before', async () => {
  const agents = { top: 'timeout = 3600\npatience = "2h"\ntools = ["ask_user", "fork"]\n' };
  const account = await openAccount({ table: createMemoryTable(), choices: choicesOf(1), agents });
  const root = await account.start('top');
  await account.settle();
  const say = async (run: string, ...calls: ToolCall[]) => {
    account.asked.find((one) => one.run === run)?.say({ calls });
    await account.settle();
  };
  const isAsked = () => account.asked.some(({ run }) => run === root);
  await say(root, use('fork', { prompt: 'p', name: 'fork' }));
  await say(root, use('ask_user', { question: 'which?' }));
  await account.pass(3_600_000);
  const [question] = await account.questions(root);
  if (question === undefined) throw new Error('nothing is asked');
  await account.answer(question, 'this one');
  await account.settle();
  expect(isAsked()).toBe(true);
  await say(root, use('wait', { timeout: 600 }));
  await account.pass(500_000);
  expect(isAsked()).toBe(false);
  await account.pass(120_000);
  expect(isAsked()).toBe(true);
});

test.each([
  ['rests beside its fork', false],
  ['has ended', true],
])(
  'an agent that is woken while its tree has waited for a person before gives its forks no more time than it has: it %s',
  async (_, endsFirst) => {
    const agents = { top: 'timeout = 3600\npatience = "2h"\ntools = ["ask_user", "fork"]\n' };
    const account = await openAccount({ table: createMemoryTable(), choices: choicesOf(1), agents });
    const root = await account.start('top');
    await account.settle();
    const say = async (run: string, line: Line) => {
      account.asked.find((one) => one.run === run)?.say(line);
      await account.settle();
    };
    await say(root, { calls: [use('fork', { prompt: 'p', name: 'fork' })] });
    await say(root, { calls: [use('ask_user', { question: 'which?' })] });
    await account.pass(3_600_000);
    const [question] = await account.questions(root);
    if (question === undefined) throw new Error('nothing is asked');
    await account.answer(question, 'this one');
    await account.settle();
    await say(root, { text: 'done' });
    const fork = (await account.store().tree(root)).find(({ name }) => name === 'fork')?.id ?? '';
    if (endsFirst) {
      await say(fork, { text: 'done' });
      await say(root, { text: 'done' });
    }
    await account.send(root, 'go on');
    await account.settle();
    if (!endsFirst) await say(fork, { text: 'done' });
    await say(root, { calls: [use('mail_send', { to: 'fork', body: 'go on' })] });
    const woken = await account.store().run(fork);
    expect(woken).toMatchObject({ status: 'running', holder: 2, timeout: 3_590 });
  },
);
