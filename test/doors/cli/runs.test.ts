import { describe, expect, test } from 'vitest';
import { deleteRuns } from '../../../src/doors/cli/commands/delete-runs.ts';
import { listRuns, type RunsOptions } from '../../../src/doors/cli/commands/runs.ts';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import type { Io } from '../../../src/doors/cli/terminal/io.ts';
import type { Environment } from '../../../src/places/environment.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, latch, openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** A folder in which `top` ran with its `kid`, and then `solo`, which failed. */
async function afterTwoRuns() {
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join()),
      kid: () => 'the kid knows',
      solo: () => {
        throw new Error('nobody at home');
      },
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const { run: top } = await stage.run();
  const { run: solo } = await stage.run({ agent: 'solo' });
  return { stage, top: top.id, kid: `${top.id.replace('top', 'kid')}-t1c1`, solo: solo.id };
}

async function look(
  { cwd }: Pick<Stage, 'cwd'>,
  command: (environment: Environment, io: Io) => Promise<number>,
) {
  const io = recordedIo(cwd);
  const code = await withEnvironment(io, {}, (environment) => command(environment, io));
  return { code, out: io.out, err: io.err };
}
const list = (stage: Pick<Stage, 'cwd'>, options: Partial<RunsOptions> = {}) =>
  look(stage, (environment, io) => listRuns(environment, { json: false, limit: 20, ...options }, io));
const show = (stage: Pick<Stage, 'cwd'>, word: string) =>
  look(stage, (environment, io) => showRun(word, environment, { json: false, messages: false }, io));
const answerOf = (stage: Pick<Stage, 'cwd'>, word: string) =>
  look(stage, (environment, io) =>
    showRun(word, environment, { json: false, messages: false, answer: true }, io),
  );
const remove = async ({ cwd }: Pick<Stage, 'cwd'>, options: Parameters<typeof deleteRuns>[0]) => {
  const io = recordedIo(cwd);
  return { code: await deleteRuns(options, io), out: io.out, err: io.err };
};

/** Without what differs from run to run. */
const plain = (text: string) =>
  text
    .replaceAll(/\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ/g, 'WHEN')
    .replaceAll(/ *\d+\.\ds/g, ' TIME')
    .replaceAll(/(top|kid|solo)-\w{14}/g, '$1-KEY');

describe('cadre runs', () => {
  test('finds runs by words, tags and time, and shows where the words are', async () => {
    const { stage, top } = await afterTwoRuns();
    expect(plain((await list(stage, { text: 'KID knows' })).out)).toBe(
      'top-KEY  top  succeeded  WHEN TIME  40 in, 3 out\n    top-KEY t2: the kid knows\n',
    );
    const found = JSON.parse((await list(stage, { text: 'knows', json: true })).out);
    expect(found).toMatchObject([{ run_id: top, found: { run_id: top, turn: 2, text: 'the kid knows' } }]);
    expect((await list(stage, { text: 'nobody knows' })).err).toBe('no such runs in this folder\n');
    expect((await list(stage, { tag: { customer: 'acme' } })).err).toBe('no such runs in this folder\n');
    for (const since of [Date.now() + 1_000, Date.UTC(2060)])
      expect((await list(stage, { since })).err).toBe('no such runs in this folder\n');
  });

  test('lists what ran, newest first, with the totals of each tree', async () => {
    const { stage } = await afterTwoRuns();
    const { out } = await list(stage);
    expect(plain(out).trimEnd().split('\n')).toEqual([
      'solo-KEY  solo  failed     WHEN TIME  0 in, 0 out',
      'top-KEY   top   succeeded  WHEN TIME  40 in, 3 out',
    ]);
  });

  test('leaves out what is not asked for, and counts what is left', async () => {
    const { stage, top, solo } = await afterTwoRuns();
    const ids = async (options: Partial<RunsOptions>) => {
      const { out } = await list(stage, { json: true, ...options });
      return JSON.parse(out).map(({ run_id }: { run_id: string }) => run_id);
    };
    expect(await ids({ agent: 'top' })).toEqual([top]);
    expect(await ids({ agent: 'top', limit: 1 })).toEqual([top]);
    expect(await ids({ status: 'failed' })).toEqual([solo]);
    expect(await ids({ status: 'failed', agent: 'top' })).toEqual([]);
    expect(await list(stage, { agent: 'kid' })).toEqual({
      code: 0,
      out: '',
      err: 'no such runs in this folder\n',
    });
    await expect(list(stage, { status: 'done' })).rejects.toMatchObject({
      name: 'ConfigError',
      message:
        'unknown status "done": it can be running, idle, succeeded, budget_exceeded, failed, timed_out, stopped, interrupted',
    });
  });
});

describe('cadre show', () => {
  test('names every run of the tree, and tells what a run did itself from what the tree came to', async () => {
    const { stage, top, kid } = await afterTwoRuns();
    const { out } = await show(stage, top);
    expect(plain(out).split('\n')).toEqual([
      '✓  top    succeeded  2 turns  30 in, 2 out TIME  top-KEY',
      '✓  └ kid  succeeded   1 turn  10 in, 1 out TIME  kid-KEY-t1c1',
      '',
      'this run alone:  2 turns, 1 tool call, 30 tokens in, 2 out, cost unknown',
      'with sub-agents: 3 turns, 1 tool call, 40 tokens in, 3 out, cost unknown, in 2 runs',
      '',
    ]);
    expect(out).toContain(kid);
    expect(plain((await show(stage, kid)).out)).toBe(
      '✓  kid  succeeded  1 turn  10 in, 1 out TIME  kid-KEY-t1c1\n\nthis run: 1 turn, 0 tool calls, 10 tokens in, 1 out, cost unknown\n',
    );
  });

  test('tells copies of an agent apart by the tool that made them, and says how one differs from its caller', async () => {
    const calls = [
      use('delegate_task', { plan: 'p', subtasks: [{ task: 'x' }] }),
      use('sub_agent', { prompt: 'x', model: 'stage/kid', tools: ['read_file'] }),
      use('spawn_agent', { task: 'x', mode: 'plan', max_tool_calls: 3 }),
    ];
    const top = 'tools = ["files", "sub_agent", "spawn_agent", "delegate_task"]\nmodels = ["stage/kid"]\n';
    const stage = await openStage(
      { top: ({ message, turn }) => (message === 'go' && turn === 1 ? calls : 'done'), kid: () => 'done' },
      { top },
    );
    const { tree } = await stage.run();
    const shown = await Promise.all(tree.map(async ({ id }) => (await show(stage, id)).out));
    expect(shown.map((out) => out.split(/ {2,}succeeded/, 1)[0])).toEqual([
      '✓  top',
      '✓  top (delegate_task)',
      '✓  top (spawn_agent)',
      '✓  top (sub_agent)',
      '✓  top (spawn_agent)',
    ]);
    expect(shown[0]).toContain('  ├ top (delegate_task)  succeeded');
    expect(shown[0]).toContain('  │ └ top (spawn_agent)  succeeded');
    const differences = shown.map((out) => /^copy of .*$/m.exec(plain(out))?.[0].replace(/1[01]\ds/, 'REST'));
    expect(differences).toEqual([
      undefined,
      'copy of top-KEY made by delegate_task, with model planned/delegation, a time limit of REST',
      'copy of top-KEY-t1c1 made by spawn_agent, with model stage/top, a system prompt of its own, at most 15 tool calls, at most 8,192 tokens, a time limit of 60s',
      'copy of top-KEY made by sub_agent, with model stage/kid, a time limit of REST, at most 120s without a sign of life; without delegate_task, delete_file, edit_file, glob, grep, list_directory, spawn_agent, sub_agent, write_file',
      'copy of top-KEY made by spawn_agent, with mode plan, a system prompt of its own, at most 3 tool calls, at most 8,192 tokens, a time limit of 60s; without delegate_task, delete_file, edit_file, spawn_agent, write_file',
    ]);
    const { out } = await look(stage, (environment, io) =>
      showRun('last', environment, { json: true, messages: false }, io),
    );
    const told = JSON.parse(out).runs.map((run: { derived_by?: string }) => run.derived_by);
    expect(told).toEqual([undefined, 'delegate_task', 'spawn_agent', 'sub_agent', 'spawn_agent']);
  });

  test('says of a fork whose copy it is, and until when it may work', async () => {
    const isFork = (messages: readonly unknown[]) => JSON.stringify(messages).includes('forked by');
    const stage = await openStage(
      {
        top: ({ request, turn }) =>
          turn === 1 && !isFork(request.messages) ? [use('fork', { prompt: 'x', name: 'w' })] : 'done',
      },
      { top: 'tools = ["fork"]\n' },
    );
    const { tree } = await stage.run();
    const { out } = await show(stage, tree.find(({ derivedBy }) => derivedBy === 'fork')?.id ?? '');
    expect(
      plain(out)
        .split('\n')[2]
        ?.replace(/1[01]\ds/, 'REST'),
    ).toBe('copy of top-KEY made by fork, with a time limit of REST');
  });

  test('tells how much of a long conversation its model is not sent any more', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) => (turn < 5 ? [call('kid', 'x')] : 'done'),
        kid: () => 'words '.repeat(2000),
      },
      { top: 'sub_agents = ["kid"]\n[context]\nwindow = 4000\n' },
    );
    const { run } = await stage.run();
    const { out } = await show(stage, run.id);
    expect(out.trimEnd().split('\n').at(-1)).toBe('compacted 3 times, last for turn 5: 3 results left out');
  });

  test('says which budget each run of the tree has met', async () => {
    const stage = await openStage(
      {
        top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join()),
        kid: () => [call('kid', 'y')],
      },
      { top: 'sub_agents = ["kid"]\n', kid: 'sub_agents = ["nobody"]\n' },
    );
    const { run } = await stage.run({ overrides: { budget: { turns: 2 } } });
    const { out } = await show(stage, run.id);
    const told = plain(out)
      .split('\n')
      .filter((line) => line.includes('budget exceeded: '));
    expect(told).toEqual([
      'top-KEY: budget exceeded: used 2 of 2 turns',
      'kid-KEY-t1c1: budget exceeded: used 2 of 2 turns',
    ]);
  });

  test('says how to go on with one that has no answer', async () => {
    const { stage, top, solo } = await afterTwoRuns();
    expect((await show(stage, solo)).out).toMatch(
      new RegExp(`\n\ncontinue it with: cadre resume ${solo}\n$`),
    );
    expect((await show(stage, top)).out).not.toContain('go on with');
  });

  test('prints the last answer, and says on stderr that the run has failed since', async () => {
    const top: Role = ({ turn }) => {
      if (turn > 1) throw new Error('nobody at home');
      return 'gold';
    };
    const stage = await openStage({ top });
    const { run } = await stage.run();
    await stage.environment.send({ run: run.id, text: 'more' });
    await stage.environment.ended(run.id, { wholeTree: true });
    expect(await answerOf(stage, 'last')).toEqual({
      code: 0,
      out: 'gold',
      err: `Warning: run "${run.id}" has gone on since this answer: its status is failed: nobody at home\n`,
    });
  });

  test('has no answer to print of a run that never gave one', async () => {
    const { stage, solo } = await afterTwoRuns();
    expect(await answerOf(stage, solo)).toEqual({
      code: 1,
      out: '',
      err: `Error: run "${solo}" has no answer: its status is failed: nobody at home\n`,
    });
  });

  test('finds a run by the beginning of its id, and the newest by "last"', async () => {
    const { stage, top, solo } = await afterTwoRuns();
    expect((await show(stage, top.slice(0, -1))).out).toContain(top);
    expect((await show(stage, 'so')).out).toContain(solo);
    expect((await show(stage, 'last')).out).toContain(solo);
  });

  test('finds the run of a sub-agent by the beginning of its id, from the key of its tree on', async () => {
    const { stage, top, kid } = await afterTwoRuns();
    // The tree of the other run is read, too: its key begins like this one.
    for (const beginning of [kid.slice(0, -1), top.replace('top', 'kid'), kid.slice(0, 'kid-'.length + 5)]) {
      expect((await show(stage, beginning)).out).toMatch(new RegExp(`^✓  kid  .*  ${kid}\n`));
    }
    await expect(show(stage, 'kid-')).rejects.toThrow('run not found: kid-; see: cadre runs');
    await expect(show(stage, `${kid.slice(0, -1)}2`)).rejects.toThrow(`did you mean ${kid}?`);
  });

  test('does not guess which of several runs of sub-agents is meant', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) => (turn === 1 ? [call('kid', 'x'), call('kid', 'y')] : 'done'),
        kid: () => 'the kid knows',
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const { run } = await stage.run();
    const kids = run.id.replace('top', 'kid');
    for (const beginning of [kids, kids.slice(0, -1), `${kids}-t1`]) {
      await expect(show(stage, beginning)).rejects.toMatchObject({
        name: 'ConfigError',
        message: `the ids of 2 runs begin with "${beginning}": ${kids}-t1c1, ${kids}-t1c2; add more of the id`,
      });
    }
  });

  test('does not guess which of several runs is meant, and names what is near where there is none', async () => {
    const { stage, top, solo } = await afterTwoRuns();
    const { run } = await stage.run();
    await expect(show(stage, 'top-')).rejects.toMatchObject({
      name: 'ConfigError',
      message: `the ids of 2 runs begin with "top-": ${run.id}, ${top}; add more of the id`,
    });
    await expect(show(stage, 'slo')).rejects.toThrow(
      `run not found: slo; did you mean ${solo}? see: cadre runs`,
    );
    await expect(show(stage, top.replace('top', 'tip'))).rejects.toThrow(`did you mean ${top}?`);
    await expect(show(stage, 'zzzzzzz')).rejects.toThrow('run not found: zzzzzzz; see: cadre runs');
    await expect(show({ cwd: await tempFolder() }, 'last')).rejects.toThrow(
      'run not found: last; see: cadre runs',
    );
  });
});

describe('cadre runs --delete', () => {
  test('removes a run with everything below it, and says so', async () => {
    const { stage, top, kid } = await afterTwoRuns();
    await expect(remove(stage, { delete: kid })).rejects.toThrow(
      `"${kid}" is a sub-agent's run; delete the whole tree with: cadre runs --delete ${top}`,
    );
    const removed = await remove(stage, { delete: top });
    expect({ ...removed, out: plain(removed.out) }).toEqual({
      code: 0,
      out: 'deleted top-KEY, began WHEN, 2 runs\n',
      err: '',
    });
    expect(plain((await list(stage)).out)).toMatch(/^solo-KEY .+\n$/);
    await expect(show(stage, top)).rejects.toThrow('run not found');
    await expect(show(stage, kid)).rejects.toThrow('run not found');
    await expect(remove(stage, { delete: top })).rejects.toThrow('run not found');
  });

  test('removes by age, but never what a process carries out', async () => {
    const asked = latch();
    const answer = latch();
    const stage = await openStage({
      top: () => 'done',
      held: async () => {
        asked.open();
        await answer.opened;
        return 'done';
      },
    });
    await stage.run();
    await stage.run();
    const running = stage.run({ agent: 'held' });
    await asked.opened;
    const none = await remove(stage, { olderThan: 60_000 });
    expect({ ...none, err: plain(none.err) }).toEqual({
      code: 0,
      out: '',
      err: 'no run in this folder began before WHEN\n',
    });

    const { code, out, err } = await remove(stage, { olderThan: -60_000 });
    expect({ code, out: plain(out) }).toEqual({
      code: 0,
      out: 'deleted top-KEY, began WHEN, 1 run\n'.repeat(2),
    });
    expect(err).toMatch(/^not deleted: run "held-\w+" is running in process \d+; .+\n$/);
    answer.open();
    const { run } = await running;
    expect((await list(stage)).out).toMatch(new RegExp(`^${run.id} .+\n$`));
  });

  test('is refused in an environment, where runs expire', async () => {
    await expect(remove({ cwd: await tempFolder() }, { delete: 'x', env: 'dev' })).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'runs of a deployed environment cannot be deleted: they expire after its runDays; omit --env',
    });
  });
});
