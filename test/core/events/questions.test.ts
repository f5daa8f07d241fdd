import { EventSchema, InterruptSchema, ResumeEntrySchema } from '@ag-ui/core/schemas';
import { describe, expect, test } from 'vitest';
import { toAgUi } from '../../../src/doors/api/ag-ui/to-ag-ui.ts';
import {
  answer as answerElsewhere,
  openQuestions as untilAsked,
  unanswered,
} from '../../fixtures/questions.ts';
import { call, openStage, openStageIn, use, type Role } from '../../fixtures/stage.ts';
import { cutsOf, expectNested, follow, joined, listed, listedLive, openRun } from './harness.ts';
import { inOrder } from './in-order.ts';

const asks =
  (...questions: string[]): Role =>
  ({ turn, results }) =>
    turn === 1
      ? questions.map((question) => use('ask_user', { question, choices: ['a', 'b'] }))
      : results.join();

/** Two agents below the top that ask, one of them twice. */
const openTree = () =>
  openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('once', 'x'), call('twice', 'x')] : results.join('|')),
      once: asks('one?'),
      twice: asks('two?', 'three?'),
    },
    {
      top: 'sub_agents = ["once", "twice"]\n',
      once: 'tools = ["ask_user"]\n',
      twice: 'tools = ["ask_user"]\n',
    },
  );

describe('questions in the list of events', () => {
  test('are the same live and later, between the begin and the end of their call, in any order', async () => {
    const stage = await openTree();
    const { top, store, run } = await openRun(stage);
    const watching = listedLive(top, store);
    const running = run();
    const open = await untilAsked(store, 3);
    // The last first.
    for (const each of open.toReversed()) {
      await answerElsewhere(stage.cwd, each, `to ${each.question.question}`, 'ann');
    }
    await running;
    const [live, later] = [await watching, await listed(top, store)];
    expect(inOrder(live)).toEqual(inOrder(later));
    expectNested(live);
    const types = Object.values(inOrder(later.filter(({ event }) => 'call' in event))).map((told) =>
      told.map(({ event }) => event.type),
    );
    const asked = ['call_started', 'question_asked', 'question_answered', 'call_finished'];
    const called = ['call_started', 'call_finished'];
    expect(types.toSorted((one, other) => one.length - other.length)).toEqual([
      called,
      called,
      asked,
      asked,
      asked,
    ]);
    const answers = later.flatMap(({ event }) =>
      event.type === 'question_answered' ? [`${event.answer}, ${event.by}`] : [],
    );
    expect(answers.toSorted()).toEqual(['to one?, ann', 'to three?, ann', 'to two?, ann']);
  });

  test('are told at once: one that is answered does not wait for others', async () => {
    const stage = await openTree();
    const { top, store, run } = await openRun(stage);
    const running = run();
    const [one, ...others] = (await untilAsked(store, 3)).toReversed();
    if (one === undefined) expect.fail('nothing was asked');
    const told: string[] = [];
    for await (const { event } of follow(top, store)) {
      if (event.type === 'question_asked' && told.push(event.question) === 3) {
        await answerElsewhere(stage.cwd, one, 'a');
      }
      if (event.type !== 'question_answered') continue;
      told.push(`${event.answer} after ${told.length}`);
      for (const other of others.splice(0)) await answerElsewhere(stage.cwd, other, 'b');
    }
    await running;
    expect(told.slice(3)).toEqual(['a after 3', 'b after 4', 'b after 5']);
  });

  test('are told anew where a run goes on that was stopped, and once afterwards', async () => {
    const stage = await openStage({ top: asks('why?') }, { top: 'tools = ["ask_user"]\n' });
    const { id, top, store, run } = await openRun(stage);
    const watching = listedLive(top, store);
    const running = run();
    const [open] = await untilAsked(store, 1);
    if (open === undefined) expect.fail('nothing was asked');
    await stage.pipeline.executions.stop((await store.run(id))?.execution ?? '', 'enough');
    await running;
    const stopped = await cutsOf(top, store);
    expect((await watching).map(({ event }) => event.type)).toEqual([
      'run_opened',
      'turn_started',
      'turn_finished',
      'call_started',
      'question_asked',
      'run_closed',
    ]);
    const later = await openStageIn(stage.cwd, { top: asks('why?') });
    const resumed = later.resume(id);
    const goingOn = cutsOf(top, store, stopped.at(-1)?.cursor, resumed);
    await untilAsked(later.pipeline.store, 1);
    await answerElsewhere(stage.cwd, open, 'b');
    await resumed;
    const names = (await goingOn).map(({ event }) => event['name'] ?? event.type);
    expect(names.slice(0, 4)).toEqual([
      'RUN_STARTED',
      'question_asked',
      'question_answered',
      'TOOL_CALL_RESULT',
    ]);
    const all = (await listed(top, store)).map(({ event }) => event.type);
    expect(all.filter((type) => type.startsWith('question_'))).toEqual([
      'question_asked',
      'question_answered',
    ]);
  });

  test('go on behind any event where a watcher is cut off', async () => {
    const stage = await openTree();
    const { top, store, run } = await openRun(stage);
    const watching = cutsOf(top, store);
    const running = run();
    for (const each of (await untilAsked(store, 3)).toReversed()) await answerElsewhere(stage.cwd, each, 'a');
    await running;
    const [live, later] = [await watching, await cutsOf(top, store)];
    const sorted = (runs: ReturnType<typeof joined>) =>
      Object.values(runs)
        .flatMap((events) => events.map((event) => JSON.stringify(event)))
        .sort();
    for (const [index, { cursor }] of live.slice(0, -1).entries()) {
      const rest = await cutsOf(top, store, cursor);
      const union = [...live.slice(0, index + 1), ...rest].map(({ event }) => event);
      expect(sorted(joined(union))).toEqual(sorted(joined(later.map(({ event }) => event))));
    }
  });

  test('are spelled as interrupts of AG-UI, and answers as what resumes from them', async () => {
    const stage = await openStage(
      { top: asks('why?', 'how?') },
      { top: 'timeout = 2\ntools = ["ask_user"]\n' },
    );
    const { top, store, run } = await openRun(stage);
    await unanswered(run, store, async () => {
      const [why, how] = await untilAsked(store, 2);
      if (why !== undefined) await answerElsewhere(stage.cwd, why, 'b', 'ann');
      return how === undefined ? [] : [how];
    });
    const told = (await listed(top, store))
      .flatMap((event) => toAgUi(top.id, event))
      .filter(({ name }) => String(name).startsWith('question_'));
    for (const event of told) {
      expect(EventSchema.parse(event)).toEqual(event);
      const schema = event['name'] === 'question_asked' ? InterruptSchema : ResumeEntrySchema;
      expect(schema.parse(event['value'])).toEqual(event['value']);
    }
    const interrupt = (call: number, message: string) => ({
      id: `${top.id}-t1c${call}`,
      reason: 'question',
      message,
      toolCallId: `${top.id}-t1c${call}`,
      responseSchema: { anyOf: [{ enum: ['a', 'b'] }, { type: 'string' }] },
      metadata: { questionId: `t1c${call}`, choices: ['a', 'b'], askedAt: expect.any(String) },
    });
    expect(told.map(({ value }) => value)).toEqual([
      interrupt(1, 'why?'),
      { interruptId: `${top.id}-t1c1`, status: 'resolved', payload: 'b', metadata: { by: 'ann' } },
      interrupt(2, 'how?'),
      { interruptId: `${top.id}-t1c2`, status: 'cancelled' },
    ]);
  });
});
