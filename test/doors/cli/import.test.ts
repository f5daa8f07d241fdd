import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { TOOL_NAMES } from '../../../src/core/agent-schema/tool-names.ts';
import { importFrom, type ImportCommandOptions } from '../../../src/doors/cli/commands/import.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { ConfigError } from '../../../src/errors.ts';
import { claude } from '../../../src/authoring/import/claude.ts';
import { importAgents } from '../../../src/authoring/import/import-agents.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { anyText } from '../../fixtures/random-texts.ts';

const reviewer = '---\nname: review\ndescription: Reviews\ntools: Read\nmodel: sonnet\n---\nReview.\n';
const reviewerToml = `# Imported from .claude/agents/review.md.

name = "review"
description = "Reviews"
model = "anthropic/claude-sonnet-5-5"
tools = ["read_file"]
timeout = 3600
system_prompt = '''
Review.
'''
`;

async function stage(entries: Record<string, string>, path: string, options: ImportCommandOptions = {}) {
  const io = recordedIo(await tempFolder(entries));
  const code = await importFrom(path, options, io).catch((error: unknown) => error);
  const read = (file: string) => readFile(join(io.cwd, file), 'utf8').catch(() => undefined);
  return { code, out: io.out, err: io.err, read };
}

describe('import', () => {
  it('takes a single file, and the skill that it names from the project around it', async () => {
    const skilled = reviewer.replace('model: sonnet', 'model: sonnet\nskills: minutes');
    const { code, out, err, read } = await stage(
      {
        '.claude/agents/review.md': skilled,
        '.claude/agents/other.md': reviewer,
        '.claude/skills/minutes/SKILL.md': 'Write.',
        '.claude/skills/minutes/deep/a.sh': 'date',
        '.claude/skills/unused/SKILL.md': 'Rest.',
      },
      '.claude/agents/review.md',
    );
    expect([code, out, err]).toEqual([EXIT.success, 'agents/review.toml\n', '']);
    expect(
      await Promise.all(
        ['minutes/SKILL.md', 'minutes/deep/a.sh', 'unused/SKILL.md'].map((each) => read(`skills/${each}`)),
      ),
    ).toEqual(['Write.', 'date', undefined]);
  });

  it('reads files with many thousands of keys or faults at once', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: v\n`).join('');
    const many = await stage(
      { '.claude/agents/a.md': `---\nname: a\ndescription: x\n${keys}---\nYou are a.\n` },
      '.',
    );
    expect([many.code, many.err.split('\n').at(-2)]).toEqual([
      EXIT.success,
      'Warning: .claude/agents/a.md:20003: dropped: k19999',
    ]);
    const faulty = await stage({ 'opencode.json': '"'.repeat(300_000) }, '.');
    expect(String(faulty.code)).toBe('ConfigError: opencode.json:1:3: the file is not JSON');
  });

  it('takes the last of two values of a key, as those do for whom JSON is written', async () => {
    const { code, read } = await stage(
      { 'opencode.json': '{"agent":{"a":{"prompt":"Old."},"a":{"prompt":"New.","description":"x"}}}' },
      '.',
    );
    expect([code, parse((await read('agents/a.toml')) ?? '')]).toEqual([
      EXIT.success,
      expect.objectContaining({ name: 'a', system_prompt: 'New.' }),
    ]);
  });

  it('brings along all skills of a folder', async () => {
    const { read } = await stage(
      { '.claude/agents/review.md': reviewer, '.claude/skills/unused/SKILL.md': 'Rest.' },
      '.claude',
    );
    expect(await read('skills/unused/SKILL.md')).toBe('Rest.');
  });

  it('prints what it would write, and writes nothing', async () => {
    const entries = { '.claude/agents/review.md': reviewer, '.claude/skills/s/SKILL.md': 's' };
    const { code, out, read } = await stage(entries, '.', { dryRun: true });
    expect([code, out]).toEqual([EXIT.success, `# agents/review.toml\n${reviewerToml}\n# skills/s/\n`]);
    expect([await read('agents/review.toml'), await read('skills/s/SKILL.md')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('overwrites no agent and no skill unless it is told to', async () => {
    const entries = {
      '.claude/agents/new.md': reviewer.replace('name: review', 'name: new'),
      '.claude/agents/review.md': reviewer,
      'agents/review.toml': 'mine',
    };
    const refused = await stage(entries, '.');
    expect(refused.code).toEqual(
      new ConfigError('agents are there already: agents/review.toml; --force overwrites them'),
    );
    expect([await refused.read('agents/review.toml'), await refused.read('agents/new.toml')]).toEqual([
      'mine',
      undefined,
    ]);
    const forced = await stage(entries, '.', { force: true });
    expect([forced.code, await forced.read('agents/review.toml')]).toEqual([EXIT.success, reviewerToml]);

    const skills = {
      '.claude/agents/review.md': reviewer,
      '.claude/skills/s/SKILL.md': 'theirs',
      'skills/s/SKILL.md': 'mine',
    };
    const kept = await stage(skills, '.');
    expect(kept.code).toEqual(
      new ConfigError(
        'skills are there already, with other content: skills/s/SKILL.md; --force overwrites them',
      ),
    );
    expect([await kept.read('skills/s/SKILL.md'), await kept.read('agents/review.toml')]).toEqual([
      'mine',
      undefined,
    ]);
  });

  it('keeps agents of two tools with one name apart, or takes those of one tool only', async () => {
    const entries = {
      '.claude/agents/review.md': reviewer,
      '.github/agents/review.agent.md': '---\ndescription: Reviews\ntools: []\nmodel: gpt-5.1\n---\nGo.\n',
    };
    expect((await stage(entries, '.')).out).toBe('agents/review.toml\nagents/review-2.toml\n');
    const one = await stage(entries, '.', { from: 'copilot' });
    expect([one.out, parse((await one.read('agents/review.toml')) ?? '')]).toEqual([
      'agents/review.toml\n',
      {
        name: 'review',
        description: 'Reviews',
        model: 'openai/gpt-5.1',
        timeout: 3600,
        system_prompt: 'Go.\n',
      },
    ]);
  });

  it('gives agents without a model the one that is named', async () => {
    const entries = { '.claude/agents/a.md': '---\nname: a\ndescription: a\ntools: Read\n---\na' };
    const { err, read } = await stage(entries, '.', { model: 'ollama/qwen3' });
    expect([err, parse((await read('agents/a.toml')) ?? '')]).toEqual([
      'Warning: .claude/agents/a.md:2: names no model: ollama/qwen3 is taken, --model takes another\n',
      {
        name: 'a',
        description: 'a',
        model: 'ollama/qwen3',
        tools: ['read_file'],
        timeout: 3600,
        system_prompt: 'a',
      },
    ]);
    expect((await stage(entries, '.', { model: 'qwen3' })).code).toMatchObject({
      message: 'invalid model format "qwen3": expected provider/model-name',
    });
  });

  it('shows no instructions that are outside of the folder, and says so', async () => {
    const root = await tempFolder({
      'theirs/.claude/agents/review.md': reviewer,
      'theirs/CLAUDE.md': 'Hi.',
      'ours/x': '',
    });
    const io = recordedIo(`${root}/ours`);
    expect([await importFrom('../theirs', {}, io), io.err]).toEqual([
      EXIT.success,
      'Warning: ../theirs/CLAUDE.md:1: not shown to the agents, because it is outside of this folder: copy it, and name it in files\n',
    ]);
    expect(parse(await readFile(`${root}/ours/agents/review.toml`, 'utf8'))).not.toHaveProperty('files');
  });

  it.each<[string, Record<string, string>, string, ImportCommandOptions, string]>([
    ['a path that is not there', {}, 'x', {}, 'failed to import from "x": there is no such file or folder'],
    [
      'a folder without agents',
      { 'a.md': '# Hi' },
      '.',
      {},
      'no agent of another tool in "."; --from says of which tool a file is',
    ],
    [
      'a file that is no agent, beside agents of this folder that are wrong',
      { 'plain.md': 'Hi', 'agents/x.toml': 'x = 1' },
      'plain.md',
      { from: 'claude' },
      'nothing in "plain.md" could be imported',
    ],
    [
      'no agents of the tool',
      { '.claude/agents/a.md': reviewer },
      '.',
      { from: 'gemini' },
      'no agent of the format gemini in "."',
    ],
    [
      'JSON with a fault',
      { 'opencode.json': '{\n "agent": {{} }' },
      '.',
      {},
      'opencode.json:2:16: the file is not JSON',
    ],
    [
      'front matter with a list that does not end',
      { '.claude/agents/a.md': '---\ndescription: x: y\nname: [broken\n---\nYou.\n' },
      '.',
      {},
      '.claude/agents/a.md:3: the front matter is not YAML: name is "[broken", which nothing closes',
    ],
    [
      'front matter with a table that does not end',
      { '.claude/agents/a.md': '---\nname: a\ndescription: x\ntools: {Read\n---\nYou.\n' },
      '.',
      {},
      '.claude/agents/a.md:4: the front matter is not YAML: tools is "{Read", which nothing closes',
    ],
    [
      'TOML with a fault',
      { '.codex/agents/a.toml': 'name = \n' },
      '.',
      {},
      '.codex/agents/a.toml:1:8: expected a value after "="',
    ],
  ])('refuses %s', async (_, entries, path, options, message) => {
    expect((await stage(entries, path, options)).code).toEqual(new ConfigError(message));
  });
});

describe('an imported agent', () => {
  const importOne = async (text: string) => {
    const read = (path: string) => (path === 'a.md' ? text : undefined);
    const project = { read, below: '', outside: new Set<string>() };
    const { agents } = await importAgents(project, [{ format: claude, paths: ['a.md'] }]);
    return parse(agents[0]?.toml ?? '');
  };

  it('has the prompt and the description of its file, byte for byte', async () => {
    const text = fc.oneof(
      anyText(),
      fc
        .array(fc.constantFrom('"', "'", '"""', "'''", '\\', '\n', '\r\n', '---\n', '\t', 'a'))
        .map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, text, async (prompt, description) => {
        const body = `Prompt: ${prompt}`;
        const read = await importOne(
          `---\nname: a\ndescription: ${JSON.stringify(`D: ${description}.`)}\n---\n${body}`,
        );
        expect([read['system_prompt'], read['description']]).toEqual([body, `D: ${description}.`]);
      }),
    );
  });

  it('has no tool that its file does not name', async () => {
    const known = [
      'Read',
      'Bash',
      'Write',
      'WebSearch',
      'Bash(ls:*)',
      'Read(x)',
      'Skill',
      'Bash(',
      'run_command',
    ];
    const word = fc.oneof(fc.constantFrom(...known), fc.stringMatching(/^[A-Za-z_]{1,12}$/));
    const given = new Map([
      ['read', 'read_file'],
      ['bash', 'run_command'],
      ['bash(ls:*)', 'run_command'],
      ['write', 'write_file'],
      ['edit', 'edit_file'],
      ['glob', 'glob'],
      ['grep', 'grep'],
      ['ls', 'list_directory'],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(word), async (words) => {
        const { tools = [] } = await importOne(`---\nname: a\ntools: ${JSON.stringify(words)}\n---\na`);
        const allowed = words.flatMap((each) => given.get(each.toLowerCase()) ?? []);
        expect([...TOOL_NAMES].filter((name) => Array.isArray(tools) && tools.includes(name)).sort()).toEqual(
          [...new Set(allowed)].sort(),
        );
      }),
    );
  });
});
