import { seconds } from '../../../src/core/records/times.ts';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { ModelError, type ModelErrorCategory } from '../../../src/errors.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { call, openStage, type Role, type Stage } from '../../fixtures/stage.ts';

const retry = (limits = '') => `[retry]\nmax_retries = 1\ninitial_delay_ms = 20\n${limits}\n`;
/** Fails so many times, then answers. */
const failing = (times: number, category: ModelErrorCategory = 'overloaded', details = {}): Role => {
  let asked = 0;
  return () => {
    if (asked++ < times) throw new ModelError(category, 'busy', details);
    return 'there you are';
  };
};

/** A wait of the machine, which is until the next whole second, passes at once. */
const run = (stage: Stage) => inHeldTime(() => stage.run(), 1);

describe('a model whose API fails', () => {
  test('is asked again, and its answer is counted once', async () => {
    const stage = await openStage({ top: failing(1) }, { top: retry() });
    const ended = await run(stage);
    expect(ended).toMatchObject({ code: EXIT.success, out: 'there you are', run: { usage: { turns: 1 } } });
    expect(stage.asked).toHaveLength(2);
  });

  test('is not asked again where the agent does not say so', async () => {
    const stage = await openStage({ top: failing(1) });
    expect(await stage.run()).toMatchObject({
      code: EXIT.api,
      err: 'Error: agent "top": overloaded: busy\n',
    });
    expect(stage.asked).toHaveLength(1);
  });

  test('fails the run with its last error when the retries are used up', async () => {
    const stage = await openStage({ top: failing(9) }, { top: retry() });
    expect(await run(stage)).toMatchObject({
      code: EXIT.api,
      err: 'Error: agent "top": overloaded: busy\n',
    });
    expect(stage.asked).toHaveLength(2);
  });

  test('is not waited for past the deadline', async () => {
    const stage = await openStage(
      { top: failing(1, 'rate_limit', { retryAfterMs: 60_000 }) },
      { top: retry() },
    );
    expect(await stage.run({ overrides: { timeout: seconds(30) } })).toMatchObject({
      code: EXIT.api,
      err: 'Error: agent "top": rate_limit: busy\n',
    });
  });

  test('waits in a state of the machine, with the results of the turn before kept', async () => {
    let failed = false;
    const stage = await openStage(
      {
        top: ({ turn, results }) => {
          if (turn === 1) return [call('kid', 'x')];
          if (failed) return results.join();
          failed = true;
          throw new ModelError('server', 'hiccup');
        },
        kid: () => 'found',
      },
      { top: `sub_agents = ["kid"]\n${retry()}` },
    );
    const ended = await run(stage);
    expect(ended).toMatchObject({ code: EXIT.success, out: 'found' });
    const history = stage.histories(ended.run.id).get(ended.run.id) ?? [];
    expect(history.filter(({ type }) => type === 'WaitStateEntered')).toEqual([
      expect.objectContaining({
        stateEnteredEventDetails: expect.objectContaining({ name: 'Back off' }),
      }),
    ]);
  });

  test('gives back what was reserved of a budget while it waits', async () => {
    const stage = await openStage({ top: failing(1) }, { top: `${retry()}[budget]\nmax_turns = 1\n` });
    expect(await run(stage)).toMatchObject({ code: EXIT.success, out: 'there you are' });
  });
});

describe('a model that was throttled for one run', () => {
  test('is left alone by its siblings until it has cooled down', async () => {
    const stage = await openStage({ top: failing(0) }, { top: `timeout = 86400\n${retry()}` });
    const { coolDown, restOf } = stage.pipeline.store;
    await coolDown('another', 'stage/top', Date.now() + 3_600_000);
    const io = stage.io();
    const waits: string[] = [];
    stage.onEvent((event) => {
      if (event.type !== 'turn_waiting') return;
      waits.push(event.reason);
      io.interrupt();
    });
    expect(await stage.run({}, io)).toMatchObject({ code: EXIT.interrupted, run: { status: 'stopped' } });
    expect({ waits, asked: stage.asked }).toEqual({ waits: ['cooldown'], asked: [] });
    expect(await restOf('another', 'stage/other')).toEqual({ until: 0 });
  });

  test('is asked again once it has cooled down', async () => {
    const stage = await openStage({ top: failing(0) }, { top: retry() });
    await stage.pipeline.store.coolDown('another', 'stage/top', Date.now());
    expect(await stage.run()).toMatchObject({ code: EXIT.success, out: 'there you are' });
    expect(stage.asked).toHaveLength(1);
  });
});
