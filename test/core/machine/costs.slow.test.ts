import { describe, expect, test, vi } from 'vitest';
import {
  AWAITED,
  CHOICE,
  COSTS,
  GATE,
  ITERATION,
  MAX_EVENTS,
  SUCCEED,
  sum,
  times,
  type Cost,
  withoutChoice,
} from '../../../src/core/machine/costs.ts';
import { ASK } from '../../../src/core/steps/ask.ts';
import { INVOKE_TOOL } from '../../../src/core/steps/invoke.ts';
import { answer, openQuestions, unanswered } from '../../fixtures/questions.ts';
import { START } from '../../../src/core/steps/start.ts';
import { WAIT_FOR_MAIL } from '../../../src/core/steps/wait.ts';
import { DELEGATE } from '../../../src/core/steps/delegate.ts';
import { MAX_EVENTS as MAX_EVENTS_OF_INTERPRETER } from '../../../src/asl/executions/execution.ts';
import type { RenderedEvent } from '../../../src/asl/executions/descriptions.ts';
import { ModelError } from '../../../src/errors.ts';
import { call, openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';

function costOfHistory(events: readonly RenderedEvent[]): Cost {
  return { states: events.filter(({ type }) => type.endsWith('StateEntered')).length, events: events.length };
}

/** Plays one conversation of `top`, which makes as many calls in each turn as told, `f` for one that fails. */
async function historyOf(turns: string[], end: 'answers' | 'fails') {
  const top: Role = ({ turn }) => {
    const calls = turns[turn - 1];
    if (calls !== undefined) return [...calls].map((kind) => call(kind === 'f' ? 'failing' : 'kid', 'x'));
    if (end === 'fails') throw new ModelError('server', 'gone');
    return 'done';
  };
  const failing: Role = () => {
    throw new ModelError('bad_request', 'no');
  };
  const stage = await openStage(
    { top, kid: () => 'k', failing },
    { top: 'sub_agents = ["kid", "failing"]\n' },
  );
  const { run } = await stage.run();
  return costOfHistory(stage.histories(run.id).get(run.id) ?? []);
}

/** A fork writes what it has come to, and is idle after that. */
async function forksAreIdle({ pipeline: { store } }: Stage, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      for await (const { id } of store.roots(1)) {
        const idle = (await store.tree(id)).filter(
          ({ status, parent }) => parent !== undefined && status === 'idle',
        );
        expect(idle).toHaveLength(count);
      }
    },
    { timeout: 20_000 },
  );
}

describe('an execution costs what its parts say', () => {
  test.each([
    { turns: [], end: 'answers' },
    { turns: ['k'], end: 'answers' },
    { turns: ['k', 'kkk', 'kk'], end: 'answers' },
    { turns: ['kf', 'f', 'kkkfff', 'k'], end: 'answers' },
    { turns: ['k'.repeat(45)], end: 'answers' },
    { turns: [], end: 'fails' },
    { turns: ['kfk', 'k'], end: 'fails' },
  ] as const)('with turns $turns that $end', async ({ turns, end }) => {
    const all = turns.join('');
    const failed = all.split('f').length - 1;
    expect(await historyOf([...turns], end)).toEqual(
      sum(
        COSTS.opening,
        times(turns.length, sum(COSTS.acting, COSTS.lastWave)),
        times(all.length - failed, withoutChoice(DELEGATE.costs.answered)),
        times(failed, withoutChoice(DELEGATE.costs.failed)),
        end === 'answers' ? COSTS.answering : COSTS.failing,
      ),
    );
  });

  test('with a turn whose calls are answered without the machine', async () => {
    const stage = await openStage({ top: ({ turn }) => (turn === 1 ? [call('nobody', 'x')] : 'done') });
    const { run } = await stage.run();
    expect(costOfHistory(stage.histories(run.id).get(run.id) ?? [])).toEqual(
      sum(COSTS.opening, COSTS.acting, COSTS.answering),
    );
  });

  test('with waves of tools, of which the last goes the short way, and a wave of several kinds', async () => {
    const read = () => use('read_file', { path: 'a' });
    const write = () => use('write_file', { path: 'a', content: 'two' });
    const stage = await openStage(
      {
        top: ({ turn }) => {
          if (turn === 1) return [read(), read(), write(), read()];
          return turn === 2 ? [read(), call('kid', 'x')] : 'done';
        },
        kid: () => 'k',
      },
      { top: 'tools = ["read_file", "write_file"]\nsub_agents = ["kid"]\n' },
      { a: 'one' },
    );
    const { run } = await stage.run();
    expect(costOfHistory(stage.histories(run.id).get(run.id) ?? [])).toEqual(
      sum(
        COSTS.opening,
        times(2, COSTS.acting),
        times(3, COSTS.wave),
        COSTS.lastWave,
        times(4, INVOKE_TOOL.costs.answered),
        withoutChoice(INVOKE_TOOL.costs.answered),
        DELEGATE.costs.answered,
        COSTS.answering,
      ),
    );
  });

  test('with questions to people, answered or not', async () => {
    const ask = () => use('ask_user', { question: 'why?' });
    const stage = await openStage(
      { top: ({ turn }) => (turn === 1 ? [ask(), ask()] : 'done') },
      { top: 'timeout = 2\ntools = ["ask_user"]\n' },
    );
    const { store } = stage.pipeline;
    const { run } = await unanswered(
      () => stage.run(),
      store,
      () => openQuestions(store, 2),
    );
    expect(costOfHistory(stage.histories(run.id).get(run.id) ?? [])).toEqual(
      sum(COSTS.opening, COSTS.acting, COSTS.wave, times(2, ASK.costs.answered), COSTS.answering),
    );
  });

  test.each(['approve', 'deny'])('with a gate, after which a person says %s', async (decision) => {
    const stage = await openStage(
      { top: ({ turn }) => (turn === 1 ? [use('read_file', { path: 'a' })] : 'done') },
      { top: 'tools = ["read_file"]\npermissions = { ask = ["read_file"] }\n' },
      { a: 'one' },
    );
    const ended = stage.run();
    for (const open of await openQuestions(stage.pipeline.store, 1)) await answer(stage.cwd, open, decision);
    const { run } = await ended;
    const denied = sum(ITERATION, AWAITED, CHOICE, SUCCEED);
    const approved = sum(GATE, INVOKE_TOOL.costs.answered);
    expect(costOfHistory(stage.histories(run.id).get(run.id) ?? [])).toEqual(
      sum(COSTS.opening, COSTS.acting, COSTS.wave, decision === 'deny' ? denied : approved, COSTS.answering),
    );
    expect(denied.events).toBeLessThan(approved.events);
  });

  test('with forks, and waits for what they write', async () => {
    const top: Role = async ({ turn, request }) => {
      if (request.messages.some((message) => message.role === 'user' && message.text.includes('forked by'))) {
        return 'done';
      }
      if (turn === 1) return [use('fork', { prompt: 'p' }), use('fork', { prompt: 'q' })];
      if (turn > 2) return 'all done';
      // Mail that came after the waits would need a turn of its own.
      await forksAreIdle(stage, 2);
      return [use('wait', { timeout: 60 }), use('wait', { timeout: 60 })];
    };
    const stage = await openStage({ top }, { top: 'tools = ["fork"]\n' });
    const { run, tree } = await stage.run();
    const histories = stage.histories(run.id);
    expect(costOfHistory(histories.get(run.id) ?? [])).toEqual(
      sum(
        COSTS.opening,
        times(2, sum(COSTS.acting, COSTS.wave)),
        times(2, START.costs.answered),
        times(2, WAIT_FOR_MAIL.costs.answered),
        COSTS.idling,
        COSTS.answering,
      ),
    );
    const forks = tree.slice(1).map(({ id }) => costOfHistory(histories.get(id) ?? []));
    expect(forks).toEqual(Array(2).fill(sum(COSTS.opening, COSTS.idling, COSTS.answering)));
  });

  test('with what an agent writes, and an agent that is woken by it', async () => {
    const top: Role = async ({ turn, results, told }) => {
      if (told !== '' && told !== 'go') return 'forked or woken';
      if (turn === 1) return [use('fork', { prompt: 'p', name: 'f' })];
      if (turn === 2 || turn === 4) return [use('wait', { timeout: 60 })];
      await forksAreIdle(stage, 1);
      return turn === 3 ? [use('mail_send', { to: 'f', body: 'x' })] : results.join();
    };
    const stage = await openStage({ top }, { top: 'tools = ["fork"]\n' });
    const { run, tree } = await stage.run();
    const histories = stage.histories(run.id);
    expect(costOfHistory(histories.get(run.id) ?? [])).toEqual(
      sum(
        COSTS.opening,
        times(4, sum(COSTS.acting, COSTS.wave)),
        START.costs.answered,
        INVOKE_TOOL.costs.answered,
        times(2, WAIT_FOR_MAIL.costs.answered),
        COSTS.idling,
        COSTS.answering,
      ),
    );
    expect(costOfHistory(histories.get(`${tree[1]?.id}-r2`) ?? [])).toEqual(
      sum(COSTS.opening, COSTS.idling, COSTS.answering),
    );
  });

  test('and ends where the interpreter ends it', () => {
    expect(MAX_EVENTS).toBe(MAX_EVENTS_OF_INTERPRETER);
  });
});
