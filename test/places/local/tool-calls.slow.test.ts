import { writeFileSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { openStage, use, type Role } from '../../fixtures/stage.ts';
import { follow } from '../../core/events/harness.ts';

/** An agent that makes these calls, a turn each, and then says what came of the last. */
const acts =
  (...turns: ToolCall[][]): Role =>
  ({ turn, results }) =>
    turns[turn - 1] ?? results.join('\n---\n');

const FILES = 'tools = ["files"]\n';

describe('an agent with tools', () => {
  test('reads, edits and reads again in one answer, in this order', async () => {
    const top = acts(
      [use('read_file', { path: 'a.txt' })],
      [
        use('edit_file', { path: 'a.txt', old_string: 'one', new_string: 'two' }),
        use('read_file', { path: 'a.txt' }),
      ],
    );
    const stage = await openStage({ top }, { top: FILES }, { 'a.txt': 'one\n' });
    const { code, out, run } = await stage.run();
    expect({ code, read: out.split('\n---\n')[1] }).toEqual({ code: 0, read: '1: two' });
    expect(await readFile(join(stage.cwd, 'a.txt'), 'utf8')).toBe('two\n');
    const entered = (stage.histories(run.id).get(run.id) ?? [])
      .map((event) => event['stateEnteredEventDetails'])
      .flatMap((details) =>
        typeof details === 'object' && details !== null && 'name' in details ? [details['name']] : [],
      );
    expect(entered.filter((name) => name === 'Act' || name === 'Run tools')).toEqual([
      'Run tools',
      'Act',
      'Run tools',
    ]);
    expect(entered.filter((name) => name === 'Run tool' || name === 'Run one tool')).toHaveLength(3);
  });

  test('is offered its own tools and no others, in alphabetical order, and no tools where it names none', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) => (turn === 1 ? [use('call_agent', { agent: 'kid', task: 'x' })] : 'done'),
        kid: () => 'k',
      },
      { top: 'tools = ["write_file", "files:read"]\nsub_agents = ["kid"]\n' },
    );
    expect((await stage.run()).code).toBe(0);
    expect(stage.asked.map(({ agent, request }) => [agent, request.tools.map(({ name }) => name)])).toEqual([
      ['top', ['call_agent', 'glob', 'grep', 'list_directory', 'read_file', 'write_file']],
      ['kid', []],
      ['top', ['call_agent', 'glob', 'grep', 'list_directory', 'read_file', 'write_file']],
    ]);
  });

  test('is not offered tools that write in mode plan, nor those that are denied', async () => {
    const stage = await openStage(
      { top: acts([use('write_file', { path: 'a', content: 'x' })]) },
      { top: `${FILES}mode = "plan"\npermissions.deny = ["grep"]\n` },
    );
    const { out } = await stage.run();
    expect(stage.asked[0]?.request.tools.map(({ name }) => name)).toEqual([
      'glob',
      'list_directory',
      'read_file',
    ]);
    expect(out).toBe('Unknown tool: "write_file"');
  });

  test('is refused what a rule denies, by a link too', async () => {
    const read = (path: string) => use('read_file', { path });
    const stage = await openStage(
      {
        top: acts([
          read('.env'),
          read('sub/../.env'),
          read('notes.txt'),
          read('other.txt'),
          use('grep', { pattern: 'secret|fine' }),
          use('grep', { pattern: 'secret', path: 'notes.txt' }),
        ]),
      },
      { top: `${FILES}permissions.deny = ["read_file(.env*)"]\n` },
      { '.env': 'KEY=secret\n', 'other.txt': 'fine\n' },
    );
    await symlink('.env', join(stage.cwd, 'notes.txt'));
    const denied = 'Permission denied: "read_file" is denied by the rule read_file(.env*).';
    const { out } = await stage.run();
    expect(out.split('\n---\n')).toEqual([
      denied,
      denied,
      denied,
      '1: fine',
      'other.txt:1: fine',
      'Error: the rules of this agent keep ".env" from being read',
    ]);
  });

  test('is told of an argument that is missing or wrong, and not of a rule that is about some calls', async () => {
    const calls = [
      use('read_file', {}),
      use('read_file', { path: 7 }),
      use('list_directory', { path: [] }),
      use('write_file', { content: 'x' }),
      use('fetch_url', {}),
    ];
    const stage = await openStage(
      { top: acts(calls) },
      {
        top:
          'tools = ["files", "fetch_url"]\n' +
          'permissions.deny = ["*(.env*)", "fetch_url(http://*)", "write_file", "list_directory(x)"]\n',
      },
    );
    const { out } = await stage.run();
    expect(out.split('\n---\n')).toEqual([
      'Error: argument "path" is required',
      'Error: argument "path" must be text, not 7',
      'Error: argument "path" must be text, not a list',
      'Unknown tool: "write_file"',
      'Error: argument "url" is required',
    ]);
  });

  test('is shown nothing of a file that it may not read, by grep neither', async () => {
    const grep = (args: ToolCall['arguments']) => use('grep', { pattern: 'KEY', ...args });
    const calls = [
      grep({}),
      grep({ glob: '.env' }),
      grep({ path: '.env' }),
      grep({ pattern: 'no', path: '.env' }),
    ];
    const stage = await openStage(
      { top: acts(calls) },
      { top: `${FILES}permissions.deny = ["read_file(.env*)"]\n` },
      { '.env': 'KEY=secret\n', 'a/.env.local': 'KEY=secret\n', 'a/b': 'KEY\n' },
    );
    const kept = 'Error: the rules of this agent keep ".env" from being read';
    const { out } = await stage.run();
    expect(out.split('\n---\n')).toEqual(['a/b:1: KEY', '(no line matches)', kept, kept]);
  });

  test('acts in the workdir of the top, unless its own file names one', async () => {
    const reads = acts([use('read_file', { path: 'who' })]);
    const calls = (agent: string) => use('call_agent', { agent, task: 'x' });
    const stage = await openStage(
      { top: acts([calls('kid'), calls('other')]), kid: reads, other: reads },
      {
        top: 'sub_agents = ["kid", "other"]\nworkdir = "one"\n',
        kid: FILES,
        other: `${FILES}workdir = "two"\n`,
      },
      { 'one/who': 'one', 'two/who': 'two', who: 'none' },
    );
    expect((await stage.run()).out.split('\n---\n')).toEqual(['1: one', '1: two']);
    const elsewhere = await stage.run({ overrides: { workdir: '.' } });
    expect(elsewhere.out.split('\n---\n')).toEqual(['1: none', '1: two']);
  });

  test('that two of at once edit the same file loses none of the edits without being told', async () => {
    const edits = (from: string, to: string) =>
      acts(
        [use('read_file', { path: 'f' })],
        [use('edit_file', { path: 'f', old_string: from, new_string: to })],
      );
    const stage = await openStage(
      {
        top: acts([
          use('call_agent', { agent: 'a', task: 'x' }),
          use('call_agent', { agent: 'b', task: 'x' }),
        ]),
        a: edits('one', 'ONE'),
        b: edits('two', 'TWO'),
      },
      { top: 'sub_agents = ["a", "b"]\n', a: FILES, b: FILES },
      { f: 'one two\n' },
    );
    const { out } = await stage.run();
    const said = out.split('\n---\n');
    const text = await readFile(join(stage.cwd, 'f'), 'utf8');
    for (const [index, word] of ['ONE', 'TWO'].entries()) {
      const wasTold = /changed/.test(said[index] ?? '');
      expect(text.includes(word)).toBe(!wasTold);
    }
  });
});

test('a watcher elsewhere sees a call while it is under way, and its end once', async () => {
  const events: RunEvent[] = [];
  let watching = Promise.resolve();
  const command = 'until [ -e go ]; do sleep 0.05; done';
  const stage = await openStage(
    {
      async top({ turn, results }) {
        if (turn > 1) return results.join();
        for await (const { id } of stage.pipeline.store.roots(1)) {
          watching = watch(id);
        }
        return [use('run_command', { command, timeout: 20 })];
      },
    },
    { top: 'tools = ["run_command"]\n' },
  );
  const watch = async (id: string) => {
    const { store } = stage.pipeline;
    for await (const { event } of follow({ id }, store)) {
      events.push(event);
      if (event.type === 'call_started') writeFileSync(join(stage.cwd, 'go'), '');
    }
  };
  expect((await stage.run()).out).toBe('[exit code 0]');
  await watching;
  expect(events.map(({ type }) => type).filter((type) => type.startsWith('call_'))).toEqual([
    'call_started',
    'call_finished',
  ]);
});

describe('a result that is too long', () => {
  test('is kept whole in the workdir, and its beginning, its end and its place are shown', async () => {
    const stage = await openStage(
      { top: acts([use('grep', { pattern: 'x', path: 'big' })]) },
      { top: FILES },
      Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [
          `big/${index}.txt`,
          `x${'y'.repeat(200)}${index}\n`.repeat(90),
        ]),
      ),
    );
    const { out, run } = await stage.run();
    const path = `.cadre-results/${run.id}-t1c1.txt`;
    const whole = await readFile(join(stage.cwd, path), 'utf8');
    expect(out.length).toBeLessThan(50_000);
    expect(whole.length).toBeGreaterThan(150_000);
    expect(out.startsWith(whole.slice(0, 36_000))).toBe(true);
    expect(out.endsWith(whole.slice(-12_000))).toBe(true);
    expect(out).toContain(`characters left out; the whole result is in ${path}]`);
  });

  test('and a hundred of them leave the state small', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) =>
          turn === 1 ? Array.from({ length: 100 }, () => use('read_file', { path: 'f' })) : 'done',
      },
      { top: FILES },
      { f: `${'z'.repeat(1_990)}\n`.repeat(40) },
    );
    const { code, run } = await stage.run();
    expect(code).toBe(0);
    const sizes = (stage.histories(run.id).get(run.id) ?? []).map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(40 * 1024);
  });
});
