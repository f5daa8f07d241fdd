import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { Grants } from '../../../src/authoring/import/grants.ts';
import { importFrom } from '../../../src/doors/cli/commands/import.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** Where agents of a program are, its tools by what becomes of them, and those that Cadre has not. */
const FORMATS: Record<string, { file: string; become: Record<string, string>; none: string }> = {
  claude: {
    file: '.claude/agents/*.md',
    become: {
      read_file: 'Read',
      list_directory: 'LS',
      glob: 'Glob',
      grep: 'Grep',
      write_file: 'Write',
      'edit_file read_file': 'Edit MultiEdit',
      run_command: 'Bash PowerShell',
      fetch_url: 'WebFetch',
      ask_user: 'AskUserQuestion',
    },
    none: 'BashOutput EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash KillShell ListMcpResourcesTool LSP Monitor NotebookEdit NotebookRead ReadMcpResourceTool SendMessage SlashCommand TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebSearch',
  },
  copilot: {
    file: '.github/agents/*.agent.md',
    become: {
      'list_directory read_file': 'read view',
      'glob grep': 'search',
      'edit_file read_file write_file': 'edit write multiedit editFiles',
      run_command: 'execute bash powershell shell terminal runCommands runInTerminal runTerminal',
      fetch_url: 'web fetch webFetch',
      grep: 'grep textSearch',
      glob: 'glob fileSearch',
      'glob grep read_file': 'codebase',
      write_file: 'createFile',
      list_directory: 'listDirectory',
      read_file: 'readFile',
      ask_user: 'askQuestions',
    },
    none: 'changes createAndRunTask createDirectory editNotebook extensions findTestFiles getTaskOutput getTerminalOutput githubRepo memory new notebookEdit notebookRead openSimpleBrowser problems runNotebooks runTask runTasks runTests searchResults terminalLastCommand terminalSelection testFailure think todo todos todoWrite usages vscode vscodeAPI webSearch',
  },
  gemini: {
    file: '.gemini/agents/*.md',
    become: {
      read_file: 'read_file',
      'glob read_file': 'read_many_files',
      list_directory: 'list_directory',
      glob: 'glob',
      grep: 'grep_search search_file_content',
      write_file: 'write_file',
      'edit_file read_file': 'replace',
      run_command: 'run_shell_command ShellTool',
      fetch_url: 'web_fetch',
      ask_user: 'ask_user',
    },
    none: 'activate_skill cli_help codebase_investigator complete_task enter_plan_mode exit_plan_mode generalist get_internal_docs google_web_search save_memory write_todos',
  },
};

test.each(Object.entries(FORMATS))('each tool of %s is known', async (_, { file, become, none }) => {
  const known = Object.values(become).flatMap((tools) => tools.split(' '));
  const agents = [none.replaceAll(' ', ', '), ...known].map((tools, index) => [
    file.replace('*', `a${index}`),
    `---\nname: a${index}\ndescription: d\nmodel: inherit\ntools: [${tools}]\n---\nx\n`,
  ]);
  const io = recordedIo(await tempFolder(Object.fromEntries(agents)));
  await importFrom('.', { agentsDir: 'out' }, io);
  const left = io.err.matchAll(/ Cadre has no such tool, left out: (\w+)$/gm);
  expect([...left].map(([, tool]) => tool)).toEqual(none.split(' '));
  const found: Record<string, string[]> = {};
  for (const [index, tool] of known.entries()) {
    const { tools } = parse(await readFile(join(io.cwd, `out/a${index + 1}.toml`), 'utf8'));
    (found[Array.isArray(tools) ? tools.join(' ') : ''] ??= []).push(tool);
  }
  expect(Object.fromEntries(Object.entries(found).map(([tools, own]) => [tools, own.join(' ')]))).toEqual(
    become,
  );
});

test('a rule for a tool that there is not is left out, which is told unless it denies it', () => {
  const grants = new Grants({ read: ['read_file'], none: [] });
  const kinds = ['allow', 'ask', 'deny'] as const;
  const of = (kind: (typeof kinds)[number]) =>
    ['none', 'other', 'Read'].map((tool) => grants.rule(kind, tool));
  const told = ['Cadre has no such tool, left out: none', 'unknown tool, left out: other', undefined];
  expect(kinds.map(of)).toEqual([told, told, [undefined, undefined, undefined]]);
});

const MARKDOWN = '---\nname: a\ndescription: d\nmodel: inherit\n---\nx\n';

test.each([
  ['.claude/agents/a.md', MARKDOWN, ['.claude/skills', '.agents/skills']],
  ['.github/agents/a.agent.md', MARKDOWN, ['.github/skills', '.agents/skills']],
  ['.gemini/agents/a.md', MARKDOWN, ['.gemini/skills', '.agents/skills']],
  [
    '.codex/agents/a.toml',
    'name = "a"\ndescription = "d"\ndeveloper_instructions = "x"\n',
    ['.agents/skills', '.codex/skills'],
  ],
  [
    '.opencode/agent/a.md',
    '---\ndescription: d\nmode: primary\n---\nx\n',
    ['.opencode/skill', '.opencode/skills', '.agents/skills'],
  ],
])('skills are found where those of %s are', async (agent, text, folders) => {
  const skills = folders.map((folder, index) => [`${folder}/s${index}/SKILL.md`, 'x']);
  const io = recordedIo(await tempFolder({ [agent]: text, 'skills.md': '', ...Object.fromEntries(skills) }));
  await importFrom('.', { agentsDir: 'out/agents', dryRun: true }, io);
  expect(io.out.match(/^# out\/skills\/\S*$/gm)?.sort()).toEqual(
    folders.map((_, index) => `# out/skills/s${index}/`),
  );
});
