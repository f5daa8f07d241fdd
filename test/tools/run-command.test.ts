import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../src/core/records/message.ts';
import { runCommandTool } from '../../src/tools/run-command.ts';
import { openStage } from '../fixtures/stage.ts';
import { ownSleep, running } from '../fixtures/running-processes.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';

const TOOLS = 'tools = ["run_command"]';

const command = (args: ToolCall['arguments']): ToolCall => ({
  id: 'c1',
  name: 'run_command',
  arguments: args,
});

/** The results that the model of an agent reads for its calls. */
async function resultsOf(calls: ToolCall[], extra = TOOLS, files: Record<string, string> = {}) {
  const { run, asked } = await openStage(
    { top: ({ results }) => (results.length === 0 ? { calls } : { text: 'done' }) },
    { top: extra },
    files,
  );
  const { code } = await run();
  return { code, results: asked.at(-1)?.results };
}

describe('run_command', () => {
  test('runs in the workdir and hands back what was written with the exit code', async () => {
    const calls = [command({ command: 'cat a.txt; pwd | xargs basename; false' })];
    const extra = `workdir = "docs"\n${TOOLS}`;
    expect(await resultsOf(calls, extra, { 'docs/a.txt': 'here' })).toEqual({
      code: 0,
      results: ['heredocs\n[exit code 1]'],
    });
  });

  test('ends a command whose time is over and hands back what it wrote', async () => {
    expect(await resultsOf([command({ command: 'echo begun; sleep 60', timeout: '1' })])).toMatchObject({
      results: ['begun\n[ended after 1s, with all that it had started; timeout takes up to 600]'],
    });
  });

  test('keeps what is too long for the model in a file, up to a million characters', async () => {
    const { run, asked, cwd } = await openStage(
      {
        top: ({ turn }) =>
          turn === 1
            ? ['seq 1 40000', 'seq 1 400000'].map((seq) => command({ command: seq }))
            : { text: 'done' },
      },
      { top: 'tools = ["run_command", "read_file"]' },
    );
    const { run: record } = await run();
    const paths = [1, 2].map((call) => `.cadre-results/${record.id}-t1c${call}.txt`);
    const [kept = '', cut = ''] = await Promise.all(paths.map((path) => readFile(join(cwd, path), 'utf8')));
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');
    const all = numbers(400_000);
    expect(kept).toBe(`${numbers(40_000)}[exit code 0]`);
    expect(cut).toBe(
      `${all.slice(0, 400_000)}\n\n[1688895 of 2688895 characters were not kept]\n\n${all.slice(-600_000)}` +
        '[too long to be kept whole: 1688895 characters of its middle are missing]\n[exit code 0]',
    );
    expect(asked.at(-1)?.results).toEqual(
      [kept, cut].map(
        (text, index) =>
          `${text.slice(0, 36_000)}\n\n[${text.length - 48_000} of ${text.length} characters left out; ` +
          `the whole result is in ${paths[index]}]\n\n${text.slice(-12_000)}`,
      ),
    );
  });

  test.each([
    [{}, 'argument "command" is required'],
    [{ command: ' ' }, 'argument "command" is required'],
    [{ command: ['ls'] }, 'argument "command" must be text'],
    [{ command: 'a\0b' }, 'argument "command" contains a NUL character'],
    [{ command: 'true', timeout: 0 }, 'argument "timeout" must be a whole number of at least 1'],
    [{ command: 'x'.repeat(40_000) }, 'argument "command" has 40000 characters, at most 32000 are allowed'],
  ])('refuses %j in words', async (args, words) => {
    const { results = [] } = await resultsOf([command(args)]);
    expect(results[0]).toMatch(new RegExp(`^Error: ${words.replace(/[()]/g, '\\$&')}`));
  });

  test('is one write after another, and never begun twice', () => {
    const { writes, isRepeatable, seconds } = runCommandTool;
    expect({ writes, isRepeatable }).toEqual({ writes: true, isRepeatable: false });
    const asked = [{}, { timeout: 5 }, { timeout: 10_000 }, { timeout: 'x' }];
    expect(asked.map((args) => seconds(args, false))).toEqual([125, 10, 605, 125]);
    // Files are laid out before a command that is isolated, and written back after it.
    expect(asked.map((args) => seconds(args, true))).toEqual([240, 125, 720, 240]);
  });

  test('is stopped with the run, with all that it started', async () => {
    const seconds = ownSleep();
    const { run, onEvent, cwd } = await openStage(
      { top: () => ({ calls: [command({ command: `sleep ${seconds} & echo ready; wait` })] }) },
      { top: TOOLS },
    );
    const io = recordedIo(cwd);
    onEvent((event) => {
      if (event.type === 'call_output') io.interrupt();
    });
    const { run: record } = await run({}, io);
    expect(record.status).toBe('stopped');
    await expect.poll(() => running(seconds)).toEqual([]);
  });
});
