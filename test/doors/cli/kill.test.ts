import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/core/records/run.ts';
import { call, latch, openStage, silence, use, type Asked, type Stage } from '../../fixtures/stage.ts';
import { typed } from '../../fixtures/typed.ts';

/** A tree whose sub-agent works until it is ended, from its start until its sub-agent is asked. */
async function atWork() {
  const asked = latch();
  const stage = await openStage(
    {
      top: ({ turn, results }: Asked) => (turn === 1 ? [call('kid', 'dig')] : `heard: ${results.join()}`),
      kid: (question: Asked) => {
        asked.open();
        return silence(question);
      },
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const ended = stage.run();
  await asked.opened;
  const [top, kid] = await newestTree(stage);
  return { stage, ended, top, kid };
}

async function newestTree({ pipeline: { store } }: Stage): Promise<string[]> {
  for await (const { id } of store.roots(1)) return (await store.tree(id)).map((run) => run.id);
  return [];
}

const failed = (why: string) =>
  `heard: Error: sub-agent "kid" failed - ${why}. You may retry or proceed without this result.`;

const Shown = v.object({
  runs: v.array(v.object({ status: v.string(), killed: v.optional(v.boolean()) })),
});

describe('kill', () => {
  test('ends a sub-agent in the middle of its work, and its caller goes on', async () => {
    const { stage, ended, top = '', kid = '' } = await atWork();
    expect(await typed(['kill', kid], stage.cwd)).toEqual({ code: 0, out: '', err: `killed ${kid}\n` });
    expect(await ended).toMatchObject({
      code: 0,
      out: failed(`killed by a person (${kid})`),
      tree: [{ status: 'succeeded' }, { status: 'stopped', failure: { error: 'Killed' } }],
    });
    expect(await typed(['kill', kid], stage.cwd)).toEqual({
      code: 2,
      out: '',
      err: `Error: run "${kid}" has ended for good: its status is stopped\n`,
    });
    // For programs the status stays what it was.
    const shown = await typed(['show', top], stage.cwd);
    expect(shown.out.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^✓ +top +succeeded /),
      expect.stringMatching(/^■ +└ kid +killed /),
    ]);
    const { out } = await typed(['show', top, '--json'], stage.cwd);
    const { runs } = v.parse(Shown, JSON.parse(out));
    expect(runs).toEqual([{ status: 'succeeded' }, { status: 'stopped', killed: true }]);
    expect((await typed(['show', kid, '--answer'], stage.cwd)).err).toBe(
      `Error: run "${kid}" has no answer: its status is killed: killed by a person (${kid})\n`,
    );
    expect((await typed(['watch', top, '--events'], stage.cwd)).out).toMatch(
      new RegExp(`run ${kid} killed .*: killed by a person`),
    );
  });

  test('refuses the top of a tree, under any of its names', async () => {
    const stage = await openStage({ top: () => 'done' });
    const { run } = await stage.run();
    const refused = {
      code: 2,
      out: '',
      err: `Error: run "${run.id}" is at the top of its tree, which cannot be killed: stop it instead\n`,
    };
    for (const word of [run.id, run.id.slice(0, 8), 'last']) {
      expect(await typed(['kill', word], stage.cwd)).toEqual(refused);
    }
    expect((await typed(['kill', 'none'], stage.cwd)).err).toBe(
      'Error: run not found: none; see: cadre runs\n',
    );
  });
});

describe('stop', () => {
  test("ends a sub-agent's run alone, and its caller goes on", async () => {
    const { stage, ended, kid = '' } = await atWork();
    expect(await typed(['stop', kid], stage.cwd)).toEqual({
      code: 0,
      out: '',
      err: `run "${kid}" has ended: stopped\n`,
    });
    expect(await ended).toMatchObject({
      code: 0,
      out: failed('stopped by the user'),
      tree: [{ status: 'succeeded' }, { status: 'stopped', failure: { error: 'Stopped' } }],
    });
  });

  test('of a whole tree gives each run below the reason that Ctrl-C gives', async () => {
    const reasons = (tree: readonly Run[]) => tree.map(({ agent, failure }) => [agent, failure?.message]);
    const elsewhere = await atWork();
    await typed(['stop', elsewhere.top ?? ''], elsewhere.stage.cwd);
    const here = await atWork();
    const run = await here.stage.pipeline.store.run(here.top ?? '');
    if (run !== undefined) await here.stage.environment.stop(run, 'stopped by the user');
    const stopped = reasons((await here.ended).tree);
    expect(stopped).toEqual([
      ['top', 'stopped by the user'],
      ['kid', 'it was stopped'],
    ]);
    expect(reasons((await elsewhere.ended).tree)).toEqual(stopped);
  });

  test('leaves a fork that is idle to kill', async () => {
    const stage = await openStage(
      { top: ({ turn }: Asked) => (turn === 1 ? [use('fork', { prompt: 'go', name: 'kid' })] : 'done') },
      { top: 'tools = ["fork"]\n' },
    );
    await stage.run();
    const [, fork = '', ...below] = await newestTree(stage);
    expect(await typed(['stop', fork], stage.cwd)).toEqual({
      code: 2,
      out: '',
      err: `Error: "${fork}" is idle, so there is nothing to stop; end it for good with: cadre kill ${fork}\n`,
    });
    const killed = [fork, ...below].join(', ');
    expect(await typed(['kill', fork], stage.cwd)).toEqual({ code: 0, out: '', err: `killed ${killed}\n` });
  });
});
