import { describe, expect, test } from 'vitest';
import { AnsweredError } from '../../../src/core/lifecycle/answer-question.ts';
import { answer, openQuestions, unanswered } from '../../fixtures/questions.ts';
import { call, openStage, openStageIn, use, type Role } from '../../fixtures/stage.ts';

const ASKS = { top: 'tools = ["ask_user"]\n' };

/** Asks in its first turn, and answers with what it was told. */
const asks =
  (...questions: Parameters<typeof use>[1][]): Role =>
  ({ turn, results }) =>
    turn === 1 ? questions.map((args) => use('ask_user', args)) : results.join('|');

describe('ask_user', () => {
  test('waits for an answer, which another process may give', async () => {
    const stage = await openStage(
      { top: asks({ question: ' Which one? ', choices: ['a', 'b', 'a', ''] }) },
      ASKS,
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    expect(open?.question).toMatchObject({
      turn: 1,
      call: 1,
      agent: 'top',
      question: 'Which one?',
      choices: ['a', 'b'],
    });
    if (open !== undefined) await answer(stage.cwd, open, 'b\n', 'ann');
    expect(await ended).toMatchObject({
      code: 0,
      out: 'b',
      err: `top asks: Which one?\n  1. a\n  2. b\n  cadre answer ${open?.question.run} t1c1 "…"\n`,
    });
    expect(await openQuestions(stage.pipeline.store, 0)).toEqual([]);
    if (open === undefined) expect.fail('nothing was asked');
    expect(await stage.pipeline.store.answer(open.question)).toMatchObject({ text: 'b', by: 'ann' });
    await expect(answer(stage.cwd, open, 'a')).rejects.toThrow(
      new AnsweredError(`question t1c1 of run "${open.question.run}" was answered already by ann`),
    );
  });

  test('holds nothing up but the agent that asks', async () => {
    const top: Role = ({ turn, results }) =>
      turn === 1 ? [call('asker', 'x'), call('worker', 'y')] : results.join('|');
    const stage = await openStage(
      { top, asker: asks({ question: 'one?' }, { question: 'two?' }), worker: () => 'worked' },
      { top: 'sub_agents = ["asker", "worker"]\n', asker: ASKS.top },
    );
    const ended = stage.run();
    const open = await openQuestions(stage.pipeline.store, 2);
    const isDone = async () =>
      (await stage.pipeline.store.tree(open[0]?.question.root ?? '')).some(
        ({ agent, status }) => agent === 'worker' && status === 'succeeded',
      );
    while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve));
    for (const each of open.toReversed()) await answer(stage.cwd, each, each.question.question.toUpperCase());
    expect((await ended).out).toBe('ONE?|TWO?|worked');
  });

  test('goes on without an answer while there is time for that', async () => {
    const stage = await openStage({ top: asks({ question: 'why?' }) }, ASKS);
    const { out, run } = await unanswered(() => stage.run(), stage.pipeline.store);
    expect(out).toBe('(question could not be answered)');
    const at = { run: run.id, turn: 1, call: 1 };
    expect(await stage.pipeline.store.answer(at)).toEqual({ at: expect.any(String) });
    const question = await stage.pipeline.store.question(at);
    if (question === undefined) throw new Error('it was not kept');
    await expect(answer(stage.cwd, { question }, 'late')).rejects.toThrow(
      `the time to answer question t1c1 of run "${run.id}" is over`,
    );
  });

  test('needs a question', async () => {
    const stage = await openStage({ top: asks({ question: ' ' }) }, ASKS);
    expect((await stage.run()).out).toBe('Missing required parameter: question');
  });

  test('is a question of a run that was stopped, too: it can be answered, and the run resumed', async () => {
    const role = asks({ question: 'first?' }, { question: 'second?' });
    const stage = await openStage({ top: role }, ASKS);
    const io = stage.io();
    const ended = stage.run({}, io);
    const [first, second] = await openQuestions(stage.pipeline.store, 2);
    io.interrupt();
    const { run } = await ended;
    expect(run.status).toBe('stopped');
    expect(await openQuestions(stage.pipeline.store, 0)).toEqual([]);
    if (first === undefined || second === undefined) expect.fail('nothing was asked');
    await answer(stage.cwd, first, 'one');
    const later = await openStageIn(stage.cwd, { top: role });
    const resumed = later.resume(run.id);
    const [open] = await openQuestions(later.pipeline.store, 1);
    expect(open?.question).toEqual(second.question);
    await answer(stage.cwd, second, 'two');
    expect((await resumed).out).toBe('one|two');
    expect(later.asked).toHaveLength(1);
  });

  test('is gone with its tree', async () => {
    const stage = await openStage({ top: asks({ question: 'why?' }) }, ASKS);
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) expect.fail('nothing was asked');
    await answer(stage.cwd, open, 'so');
    const { run } = await ended;
    await stage.pipeline.store.saveQuestion({ ...open.question, call: 2 });
    await stage.pipeline.store.deleteTrees([run.id]);
    expect(await stage.pipeline.store.question(open.question)).toBeUndefined();
    expect(await openQuestions(stage.pipeline.store, 0)).toEqual([]);
  });
});
