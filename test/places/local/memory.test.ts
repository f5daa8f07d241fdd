import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { showMemory } from '../../../src/doors/cli/commands/memory.ts';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { ModelError } from '../../../src/errors.ts';
import { toMarkdown } from '../../../src/core/memory/markdown.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { call, openStage, type Stage, stageConfig } from '../../fixtures/stage.ts';

const memory = (settings = '') => `[memory]\nenabled = true\n${settings}\n`;

/** A memory without its times. */
async function kept(stage: Stage, name: string): Promise<string[][]> {
  const entries = await stage.pipeline.local.memories.entries(name, 0);
  return entries.map(({ task, result }) => [task, result]);
}

describe('an agent with a memory', () => {
  test('is shown what its earlier runs came to, after everything else that it is told', async () => {
    const stage = await openStage(
      { top: ({ message }) => `on ${message}: done\nand dusted` },
      { top: `system_prompt = "You are top."\nfiles = ["a.md"]\n${memory()}` },
      { 'a.md': 'A' },
    );
    const first = await stage.run({ prompt: 'one\ntwo' });
    await stage.run({ prompt: 'three' });
    const told = 'You are top.\n\n---\n\n## Context Files\n\n### a.md\n```md\nA\n```';
    const at = `${(await stage.pipeline.store.turns(first.run.id))[0]?.at.slice(0, 19)}Z`;
    expect(stage.asked.map(({ request }) => request.system)).toEqual([
      told,
      `${told}\n\n---\n\n## Memory\n\n## ${at}\n**Task:** one two\n**Result:** on one\ntwo: done\nand dusted\n\n`,
    ]);
    expect(await kept(stage, 'top')).toEqual([
      ['one two', 'on one\ntwo: done\nand dusted'],
      ['three', 'on three: done\nand dusted'],
    ]);
  });

  test('is shown its last entries where it wants no more', async () => {
    const stage = await openStage({ top: ({ message }) => message }, { top: memory('last_n = 2') });
    for (const prompt of ['a', 'b', 'c', 'd']) await stage.run({ prompt });
    const entries = await stage.pipeline.local.memories.entries('top', 0);
    expect(stage.asked.at(-1)?.request.system).toBe(
      `\n\n---\n\n## Memory\n\n${toMarkdown(entries.slice(1, 3))}`,
    );
  });

  test('keeps the beginning of a long answer', async () => {
    const stage = await openStage({ top: () => 'é'.repeat(700) }, { top: memory() });
    await stage.run();
    expect(await kept(stage, 'top')).toEqual([['go', `${'é'.repeat(500)}...`]]);
  });

  test('keeps nothing of a run that failed, was stopped or came to a limit of its budget', async () => {
    const io = { current: () => {} };
    const stage = await openStage(
      {
        top: ({ message, signal }) => {
          if (message === 'fail') throw new ModelError('server', 'gone');
          if (message === 'spend') return { text: 'so far', calls: [call('kid', 'x')] };
          io.current();
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
      { top: `sub_agents = ["kid"]\n${memory()}[budget]\nmax_tool_calls = 1\nmax_turns = 1` },
    );
    const ends = [await stage.run({ prompt: 'fail' }), await stage.run({ prompt: 'spend' })];
    const interrupted = stage.io();
    io.current = () => interrupted.interrupt();
    ends.push(await stage.run({ prompt: 'stop' }, interrupted));
    expect(ends.map(({ run }) => run.status)).toEqual(['failed', 'budget_exceeded', 'stopped']);
    expect(await kept(stage, 'top')).toEqual([]);
  });

  test('leaves no trace in a dry run, which shows its memory', async () => {
    const stage = await openStage({ top: () => 'done' }, { top: memory() }, stageConfig());
    const dry = async () => {
      const io = stage.io();
      expect(await runAgent('top', { dryRun: true }, io)).toBe(EXIT.success);
      return io.out;
    };
    expect(await dry()).toContain('\n\n--- Memory ---\n(none)\n\n--- Sub-Agents ---\n');
    await stage.run();
    const entries = await stage.pipeline.local.memories.entries('top', 0);
    const remembered = toMarkdown(entries);
    const shown = await dry();
    expect(shown).toContain(`\n\n---\n\n## Memory\n\n${remembered.trimEnd()}\n\n--- Skill ---\n`);
    expect(shown).toContain(`\n\n--- Memory ---\n${remembered.length} characters, in the system prompt\n\n`);
    expect(await stage.pipeline.local.memories.entries('top', 0)).toEqual(entries);
  });

  test('keeps the entry of every run where many end at once', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) => (turn > 1 ? 'done' : Array.from({ length: 30 }, (_, n) => call('kid', `${n}`))),
        kid: ({ message }) => message,
      },
      { top: 'sub_agents = ["kid"]', kid: memory() },
    );
    await stage.run();
    const tasks = (await kept(stage, 'kid')).map(([task]) => task);
    expect(tasks).toHaveLength(30);
    expect(new Set(tasks)).toEqual(new Set(Array.from({ length: 30 }, (_, n) => `Task: ${n}`)));
  });
});

describe('sub-agents', () => {
  test('keep a memory of their own and leave that of their parent alone', async () => {
    const stage = await openStage(
      {
        top: ({ turn, results }) => (turn === 1 ? [call('kid', 'look', 'here')] : results.join()),
        kid: () => 'found',
      },
      { top: `sub_agents = ["kid"]\n${memory()}`, kid: memory() },
    );
    await stage.run();
    await stage.run();
    expect(await kept(stage, 'top')).toEqual([
      ['go', 'found'],
      ['go', 'found'],
    ]);
    const look = ['Task: look  Context: here', 'found'];
    expect(await kept(stage, 'kid')).toEqual([look, look]);
    const [, , , , again] = stage.asked;
    expect(again?.agent).toBe('kid');
    expect(again?.request.system.match(/\*\*Task:\*\* .*/g)).toEqual(['**Task:** Task: look  Context: here']);
  });

  test('share a memory that they name', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'),
        kid: () => 'found',
      },
      { top: `sub_agents = ["kid"]\n${memory('path = "../both"')}`, kid: memory('path = " ../both "') },
    );
    await stage.run();
    expect(await kept(stage, '../both')).toEqual([
      ['Task: x', 'found'],
      ['go', 'done'],
    ]);
    const io = stage.io();
    await showMemory('kid', {}, io);
    expect(io.out).toBe(toMarkdown(await stage.pipeline.local.memories.entries('../both', 0)));
  });
});

describe('a memory', () => {
  test('that has grown too large is told of after each run', async () => {
    const stage = await openStage({ top: () => 'done' }, { top: memory('max_entries = 1') });
    const ends = [await stage.run(), await stage.run(), await stage.run()];
    expect(ends.map(({ code, out, err }) => [code, out, err])).toEqual([
      [EXIT.success, 'done', ''],
      [
        EXIT.success,
        'done',
        `Warning: agent "top" memory has 2 entries (max_entries: 1). Run 'cadre gc top' to trim.\n`,
      ],
      [
        EXIT.success,
        'done',
        `Warning: agent "top" memory has 3 entries (max_entries: 1). Run 'cadre gc top' to trim.\n`,
      ],
    ]);
  });

  test('that cannot be read fails no run, and is told of', async () => {
    const stage = await openStage({ top: () => 'done' }, { top: memory('max_entries = 9') });
    const table = await openLmdbTable(`${stage.cwd}/.cadre/store`);
    const sort = 'entry#2026-01-31T10:00:00Z#x';
    await table.putIfAbsent({ partition: 'memory#top', sort }, 'no entry');
    await table.close();
    const reason = `the store holds no record under memory#top ${sort}`;
    expect(await stage.run()).toMatchObject({
      code: EXIT.success,
      out: 'done',
      err: `Warning: failed to load memory for "top": ${reason}\n`.repeat(2),
      run: { status: 'succeeded' },
    });
  });

  test('that cannot be written fails no run, and is told of', async () => {
    const path = 'x'.repeat(2000);
    const stage = await openStage({ top: () => 'done' }, { top: memory(`path = "${path}"`) });
    const { code, out, err, run } = await stage.run();
    expect([code, out, run.status]).toEqual([EXIT.success, 'done', 'succeeded']);
    const reason = `partition "memory#${path}" is 2007 bytes long: it must have 1 to 1024`;
    expect(err).toBe(
      `Warning: failed to load memory for "top": ${reason}\nWarning: failed to save memory for "top": ${reason}\n`,
    );
  });
});
