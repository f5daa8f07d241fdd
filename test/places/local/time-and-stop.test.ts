import { seconds } from '../../../src/core/records/times.ts';
import { describe, expect, test } from 'vitest';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { inHeldTime, until } from '../../fixtures/held-time.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, latch, openStage, openStageIn, silence, type Asked } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const statuses = ({ tree }: { tree: { agent: string; status: string }[] }) =>
  tree.map(({ agent, status }) => `${agent} ${status}`);

describe('time', () => {
  test('that is up ends the run with code 3, and leaves every run of the tree closed', async () => {
    const twoSeconds = 'sub_agents = ["kid"]\ntimeout = 2\n';
    const unanswered: AbortSignal[] = [];
    const silent = (asked: Asked) => {
      unanswered.push(asked.signal);
      return silence(asked);
    };
    const alone = await openStage({ top: silent }, { top: twoSeconds });
    const withChildren = await openStage(
      {
        top: ({ turn, ...asked }) =>
          turn === 1 ? [call('kid', 'x'), call('kid', 'y')] : silent({ turn, ...asked }),
        kid: silent,
      },
      { top: twoSeconds },
    );
    const byCaller = await openStage({ top: silent }, { top: 'timeout = 600\n' });
    const ends = await inHeldTime(async (pass) => {
      const ending = [alone.run(), withChildren.run(), byCaller.run({ overrides: { timeout: seconds(2) } })];
      await until(() => unanswered.length === 4);
      pass(1_999);
      await until(() => unanswered.length === 5);
      pass(1);
      return Promise.all(ending);
    });
    for (const end of ends) {
      expect(end).toMatchObject({
        code: 3,
        out: '',
        err: 'Error: agent "top": timeout: no answer within the 2s that the run was given\n',
      });
    }
    expect(ends.map(statuses)).toEqual([
      ['top timed_out'],
      ['top timed_out', 'kid timed_out', 'kid timed_out'],
      ['top timed_out'],
    ]);
    expect(unanswered.map(({ aborted, reason }) => [aborted, reason?.name])).toEqual(
      unanswered.map(() => [true, 'TimeoutError']),
    );
    // The parent heard of its children's end before its own time was up: they have less of it.
    expect(withChildren.asked.at(-1)?.results).toEqual(
      Array(2).fill(
        'Error: sub-agent "kid" failed - timeout after 2s. You may retry or proceed without this result.',
      ),
    );
  });

  test('that is left is what a child may use, less a margin', async () => {
    const stage = await openStage(
      { top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'), kid: () => 'k' },
      { top: 'sub_agents = ["kid"]\ntimeout = 50\n', kid: 'timeout = 1000\n' },
    );
    const { tree } = await stage.run();
    expect(tree.map(({ timeout }) => timeout)).toEqual([50, 45]);
  });
});

describe('Ctrl-C', () => {
  test('stops the whole tree and leaves no request under way', async () => {
    const everyone = latch();
    let leaves = 0;
    const leaf = (asked: Asked) => {
      if (++leaves === 4) everyone.open();
      return silence(asked);
    };
    const kid = () => [call('leaf', '1'), call('leaf', '2')];
    const stage = await openStage(
      { top: () => [call('kid', 'x'), call('kid', 'y')], kid, leaf },
      { top: 'sub_agents = ["kid"]\n', kid: 'sub_agents = ["leaf"]\n' },
    );
    const io = stage.io();
    const ending = stage.run({}, io);
    await everyone.opened;
    io.interrupt();
    const ended = await ending;

    expect(ended).toMatchObject({ code: 130, out: '', err: 'Error: interrupted by the user\n' });
    expect(statuses(ended)).toEqual([
      'top stopped',
      'kid stopped',
      'leaf stopped',
      'leaf stopped',
      'kid stopped',
      'leaf stopped',
      'leaf stopped',
    ]);
    const underWay = stage.asked.filter(({ agent }) => agent === 'leaf');
    expect(underWay.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true]);
  });

  test('during the first request leaves a record that can be resumed', async () => {
    const asking = latch();
    const stage = await openStage({
      top(asked) {
        asking.open();
        return silence(asked);
      },
    });
    const io = stage.io();
    const ending = stage.run({}, io);
    await asking.opened;
    io.interrupt();
    const { code, run } = await ending;
    expect({ code, status: run.status, failure: run.failure }).toEqual({
      code: 130,
      status: 'stopped',
      failure: { error: 'Stopped', message: 'interrupted by the user' },
    });
    await stage.pipeline.close();

    const after = await openStageIn(stage.cwd, { top: () => 'at last' });
    expect(await after.resume(run.id)).toMatchObject({
      code: 0,
      out: 'at last',
      run: { status: 'succeeded' },
    });
  });

  test('before the run has begun asks no model and leaves nothing behind', async () => {
    const cwd = await tempFolder({ 'agents/top.toml': 'name = "top"\nmodel = "scripted/absent.toml"\n' });
    const io = recordedIo(cwd);
    io.interrupt();
    expect(await runAgent('top', {}, io)).toBe(130);
    expect({ out: io.out, err: io.err }).toEqual({ out: '', err: 'Error: interrupted by the user\n' });
  });

  test('while the run is being opened leaves a record that is closed', async () => {
    const reading = latch();
    const read = latch();
    const stage = await openStage(
      { top: () => 'never asked' },
      {},
      {},
      {
        async beforeReading() {
          reading.open();
          await read.opened;
        },
      },
    );
    const io = stage.io();
    const ending = stage.run({}, io);
    await reading.opened;
    io.interrupt();
    read.open();
    expect(await ending).toMatchObject({
      code: 130,
      err: 'Error: interrupted by the user\n',
      run: { status: 'stopped' },
    });
    expect(stage.asked).toEqual([]);
  });
});
