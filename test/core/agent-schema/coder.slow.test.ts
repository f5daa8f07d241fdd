import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { HAS_BUBBLEWRAP } from '../../fixtures/bubblewrap.ts';
import { DAYS_PROJECT, MENDING } from '../../fixtures/days-project.ts';
import { openStageIn, type Role } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const agentsOf = async (...names: string[]) =>
  Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const text = await readFile(join(import.meta.dirname, `../../../agents/${name}.toml`), 'utf8');
        return [`agents/${name}.toml`, text.replace(/^model = .*$/m, `model = "stage/${name}"`)] as const;
      }),
    ),
  );

let made = 0;
const use = (name: string, args: ToolCall['arguments']): ToolCall => ({
  id: `c${made++}`,
  name,
  arguments: args,
});

test.for([
  ['on the machine itself', ''],
  ['isolated', '\n[sandbox]\nkind = "isolated"\n'],
] as const)(
  'coder sees a test fail, mends the code, has it reviewed and sees the test pass, %s',
  async ([, sandbox], { skip }) => {
    skip(sandbox !== '' && !HAS_BUBBLEWRAP, 'bubblewrap is not installed');
    const agents = await agentsOf('coder', 'change-reviewer');
    const cwd = await tempFolder({
      ...DAYS_PROJECT,
      ...agents,
      'agents/coder.toml': `${agents['agents/coder.toml']}${sandbox}`,
    });
    const steps: ToolCall[][] = [
      [use('grep', { pattern: 'daysInMonth' }), use('run_command', { command: 'node --test' })],
      [use('read_file', { path: 'src/days.js' })],
      [use('edit_file', MENDING)],
      [use('run_command', { command: 'node --test && cat /proc/1/comm' })],
      [use('call_agent', { agent: 'change-reviewer', task: 'February is too short. Changed: src/days.js' })],
    ];
    const coder: Role = ({ turn }) => steps[turn - 1] ?? 'Mended src/days.js.';
    const reviewer: Role = ({ turn, results }) =>
      turn === 1 ? [use('read_file', { path: 'src/days.js' })] : `Read:\n${results.join('')}`;
    const stage = await openStageIn(cwd, { coder, 'change-reviewer': reviewer });

    const { code, out, run } = await stage.run({ agent: 'coder', prompt: 'make the tests pass' });
    expect({ code, out }).toEqual({ code: 0, out: 'Mended src/days.js.' });
    const [found, failed] = stage.asked[1]?.results ?? [];
    expect(found).toContain('src/days.js:1: export function daysInMonth(year, month) {');
    expect(failed).toContain('not ok 1 - February has a day more in leap years');
    const passed = stage.asked[4]?.results[0] ?? '';
    expect(passed).toMatch(/# pass 1|pass 1/);
    expect(passed.includes('\nbwrap\n')).toBe(sandbox !== '');
    expect(await readFile(join(cwd, 'src/days.js'), 'utf8')).toContain('Date.UTC(year, month, 0)');
    const reviewed = stage.asked.find(({ agent, turn }) => agent === 'change-reviewer' && turn === 2);
    expect(reviewed?.results[0]).toContain('Date.UTC(year, month, 0)');
    expect(run.usage.toolCalls).toBe(6);
  },
);

test('coder has copies of itself look into several places at once, which can change nothing', async () => {
  const files = { 'docs/a.md': 'The pump is blue.\n', 'docs/b.md': 'The valve is red.\n' };
  const cwd = await tempFolder({ ...files, ...(await agentsOf('coder', 'change-reviewer')) });
  const looks = ['a', 'b'].map((name) => use('spawn_agent', { task: `docs/${name}.md`, mode: 'plan' }));
  const coder: Role = ({ message, turn, results }) => {
    if (message === 'go') return turn === 1 ? looks : results.join('\n\n');
    return turn === 1
      ? [use('read_file', { path: message }), use('write_file', { path: 'x', content: 'x' })]
      : results.join(' ');
  };
  const stage = await openStageIn(cwd, { coder, 'change-reviewer': () => 'fine' });
  const { code, out, tree } = await stage.run({ agent: 'coder' });
  const refusal = 'Permission denied: tool "write_file" is not in the allowed tool list for this sub-agent.';
  expect({ code, out: out.replaceAll(/\d+\.\ds/g, 'S.Ss') }).toEqual({
    code: 0,
    out: [
      `Sub-agent result (2 tool calls, S.Ss):\n\n1: The pump is blue. ${refusal}\n\nFiles read: docs/a.md`,
      `Sub-agent result (2 tool calls, S.Ss):\n\n1: The valve is red. ${refusal}\n\nFiles read: docs/b.md`,
    ].join('\n\n'),
  });
  expect(tree.map(({ agent, derivedBy }) => `${agent} ${derivedBy}`)).toEqual([
    'coder undefined',
    'coder spawn_agent',
    'coder spawn_agent',
  ]);
  const offered = stage.asked.find(({ message }) => message === 'docs/a.md')?.request.tools;
  expect(offered?.map(({ name }) => name)).toEqual(['glob', 'grep', 'list_directory', 'read_file']);
});

test('research reads with three readers at once', async () => {
  const cwd = await tempFolder({
    'docs/a.md': 'The pump is blue.\n',
    'docs/b.md': 'The valve is red.\n',
    'docs/c.md': 'The pipe is green.\n',
    ...(await agentsOf('research', 'reader')),
  });
  const research: Role = ({ turn, results }) => {
    if (turn === 1) return [use('list_directory', { path: 'docs' })];
    if (turn > 2) return results.join(' ');
    return ['a', 'b', 'c'].map((name) => use('call_agent', { agent: 'reader', task: `docs/${name}.md` }));
  };
  const reader: Role = ({ turn, message, results }) =>
    turn === 1 ? [use('read_file', { path: /docs\/\w\.md/.exec(message)?.[0] })] : results.join('');
  const stage = await openStageIn(cwd, { research, reader });
  const { code, out, run, tree } = await stage.run({ agent: 'research', prompt: 'Which colours?' });
  expect({ code, out }).toEqual({
    code: 0,
    out: '1: The pump is blue. 1: The valve is red. 1: The pipe is green.',
  });
  expect(tree.map(({ agent }) => agent)).toEqual(['research', 'reader', 'reader', 'reader']);
  const entered = JSON.stringify(stage.histories(run.id).get(run.id));
  expect(entered.match(/"MapIterationStarted"/g)).toHaveLength(4);
});
