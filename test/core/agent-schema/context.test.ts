import { describe, expect, it } from 'vitest';
import { type AgentContext, ContextError, resolveContext } from '../../../src/core/agent-schema/context.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { buildSystemPrompt, withMemory } from '../../../src/core/agent-schema/system-prompt.ts';
import { toSubAgentMessage, toUserMessage } from '../../../src/core/agent-schema/user-message.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

type Entries = NonNullable<Parameters<typeof tempFolder>[0]>;

/** The context of an agent with these lines in its file, in a project with these entries. */
async function contextOf(
  lines: string,
  entries: Entries = {},
  overrides: Parameters<typeof resolveContext>[1] = {},
): Promise<{ cwd: string; context: AgentContext }> {
  const cwd = await tempFolder({
    ...entries,
    'agents/x.toml': `name = "x"\nmodel = "openai/gpt-5.1"\n${lines}`,
  });
  const source = openAgentFolders({ cwd, env: { HOME: cwd } });
  const loaded = await loadAgent('x', source);
  return {
    cwd,
    context: await resolveContext(loaded, overrides, { cwd, source, openWorkspace: openFolderWorkspace }),
  };
}

describe('the workdir', () => {
  it('is the one of the command, else of the file, else where the command runs', async () => {
    const { cwd, context } = await contextOf('');
    expect(context.workdir).toBe(cwd);
    const ofFile = await contextOf('workdir = "sub"');
    expect(ofFile.context.workdir).toBe(`${ofFile.cwd}/sub`);
    expect((await contextOf('workdir = "/somewhere"')).context.workdir).toBe('/somewhere');
    expect((await contextOf('workdir = "sub"', {}, { workdir: '/given' })).context.workdir).toBe('/given');
  });

  it('is where files are looked up, and must be there only if there are any to look up', async () => {
    const entries = { 'sub/a.md': 'a', 'b.md': 'b' };
    const { context } = await contextOf('files = ["*.md"]\nworkdir = "sub"', entries);
    expect(context.files).toEqual([{ path: 'a.md', text: 'a' }]);
    const missing = await contextOf('files = ["*.md"]\nworkdir = "none"').catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(ContextError);
    expect(missing).toMatchObject({ name: 'ConfigError', part: 'files' });
    expect((await contextOf('workdir = "none"')).context.files).toEqual([]);
  });
});

describe('the front matter of a skill', () => {
  const sent = async (text: string) =>
    (await contextOf('skill = "s"', { 'skills/s/SKILL.md': text })).context;

  it.each([
    ['---\nname: s\ndescription: d\n---\n\n# S\n\n---\n\nend\n', '# S\n\n---\n\nend\n'],
    ['---\r\nname: s\r\n---\r\n# S\r\n', '# S\r\n'],
    ['\uFEFF---\n---\nbody', 'body'],
    ['---\nname: s\n---', ''],
  ])('of %j is not sent', async (text, body) => {
    const { skill, systemPrompt } = await sent(text);
    expect(skill).toBe(body);
    expect(systemPrompt).toBe(body === '' ? '' : `\n\n---\n\n## Skill\n\n${body}`);
  });

  it.each(['# S\n\n---\nx: y\n---\n', '---\nno end', '--- x\n---\n', '----\n---\n', ''])(
    'is not what %j begins with',
    async (text) => {
      expect((await sent(text)).skill).toBe(text);
    },
  );
});

describe('a skill', () => {
  const entries = {
    'skills/s/SKILL.md': 'by name',
    'other/t.md': 'by path',
    'work/skills/s/SKILL.md': 'of the workdir',
  };

  it.each([
    ['s', 'by name'],
    ['other/t.md', 'by path'],
    ['./skills/../other/t.md', 'by path'],
    ['', ''],
    [' ', ''],
  ])('%j is %j in any workdir', async (skill, text) => {
    const { context } = await contextOf(`workdir = "work"\nskill = "${skill}"`, entries);
    expect(context.skill).toBe(text);
  });

  it('may be an absolute path', async () => {
    const folder = await tempFolder({ 'x.md': 'absolute' });
    const { context } = await contextOf(`skill = "${folder}/x.md"`);
    expect(context.skill).toBe('absolute');
  });

  it('may be another than that of the file', async () => {
    const { context } = await contextOf('skill = "none"', entries, { skill: 's' });
    expect(context.skill).toBe('by name');
  });

  it('that is blank in place of that of the file counts as not set, as a workdir does', async () => {
    const blank = { skill: ' ', workdir: '\t' };
    const { cwd, context } = await contextOf('skill = "s"\nworkdir = " work "', entries, blank);
    expect(context).toMatchObject({ skill: 'by name', workdir: `${cwd}/work` });
  });

  it('belongs to the folder in which the agent was found', async () => {
    const root = await tempFolder({
      'project/skills/s/SKILL.md': 'of the project',
      'config/cadre/agents/x.toml': 'name = "x"\nmodel = "openai/gpt-5.1"\nskill = "s"\n',
      'config/cadre/skills/s/SKILL.md': "the user's own",
    });
    const cwd = `${root}/project`;
    const source = openAgentFolders({ cwd, env: { XDG_CONFIG_HOME: `${root}/config` } });
    const ports = { cwd, source, openWorkspace: openFolderWorkspace };
    expect((await resolveContext(await loadAgent('x', source), {}, ports)).skill).toBe("the user's own");
  });

  it('that is not there, or cannot be read, is named in full', async () => {
    const fault = async (skill: string) => {
      const cwd = await tempFolder({ ...entries, 'agents/x.toml': 'name = "x"\nmodel = "m/m"\n' });
      const source = openAgentFolders({ cwd, env: { HOME: cwd } });
      const loaded = await loadAgent('x', source);
      const ports = { cwd, source, openWorkspace: openFolderWorkspace };
      const error: unknown = await resolveContext(loaded, { skill }, ports).catch(
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof ContextError)) throw new Error('no ContextError', { cause: error });
      return [error.part, error.message.replace(cwd, 'ROOT')];
    };
    expect(await fault('none')).toEqual(['skill', 'skill not found: ROOT/skills/none/SKILL.md']);
    expect(await fault('other/none.md')).toEqual(['skill', 'skill not found: ROOT/other/none.md']);
    expect(await fault('/none.md')).toEqual(['skill', 'skill not found: /none.md']);
    expect(await fault('skills/s')).toEqual([
      'skill',
      'failed to read skill ROOT/skills/s: it is a folder, not a file',
    ]);
  });
});

describe('the system prompt', () => {
  const nothing = { systemPrompt: '', skill: '', files: [] };

  it('joins prompt, skill and files, and a memory behind them, in this order', async () => {
    const { context } = await contextOf(
      'system_prompt = "You are x."\nskill = "s"\nfiles = ["*.ts", "docs/**"]',
      { 'skills/s/SKILL.md': 'Be brief.', 'a.ts': 'let a;\n', 'docs/b.md': 'text', 'docs/Makefile': 'all:' },
    );
    expect(withMemory(context.systemPrompt, '## 2026-01-01T00:00:00Z\n')).toBe(
      'You are x.' +
        '\n\n---\n\n## Skill\n\nBe brief.' +
        '\n\n---\n\n## Context Files\n\n' +
        '### a.ts\n```ts\nlet a;\n\n```\n\n' +
        '### docs/Makefile\n```\nall:\n```\n\n' +
        '### docs/b.md\n```md\ntext\n```' +
        '\n\n---\n\n## Memory\n\n## 2026-01-01T00:00:00Z\n',
    );
  });

  it('has no separator for a part that is empty', () => {
    expect(buildSystemPrompt(nothing)).toBe('');
    expect(buildSystemPrompt({ ...nothing, systemPrompt: 'p' })).toBe('p');
    expect(buildSystemPrompt({ ...nothing, skill: 's' })).toBe('\n\n---\n\n## Skill\n\ns');
    expect(withMemory('p', '')).toBe('p');
    expect(withMemory('p', 'm')).toBe('p\n\n---\n\n## Memory\n\nm');
  });

  it('fences a file with more backticks than there are in it', () => {
    const files = [{ path: 'a.md', text: '```ts\n`````\n```' }];
    expect(buildSystemPrompt({ ...nothing, files })).toBe(
      '\n\n---\n\n## Context Files\n\n### a.md\n``````md\n```ts\n`````\n```\n``````',
    );
  });
});

describe('the user message', () => {
  it.each([
    ['do it', '', 'do it'],
    ['do it', ' \n', 'do it'],
    ['', ' in\n', ' in\n'],
    [' ', 'in', 'in'],
    ['', ' \n', 'Execute the task described in your instructions.'],
    ['do it', 'in\n', 'do it\n\nContext:\nin\n'],
  ])('of prompt %j and stdin %j is %j', (prompt, stdin, message) => {
    expect(toUserMessage(prompt, stdin)).toBe(message);
  });

  it('of a sub-agent is its task, and the context where there is any', () => {
    expect(toSubAgentMessage('count', '')).toBe('Task: count');
    expect(toSubAgentMessage('count', ' \n')).toBe('Task: count');
    expect(toSubAgentMessage('count', ' these')).toBe('Task: count\n\nContext:\n these');
  });
});
