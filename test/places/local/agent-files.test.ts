import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, openStage, openStageIn, use, type Role } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';

/** Writes a file, and gives back what became of that. */
const writes =
  (path: string): Role =>
  ({ turn, results }) =>
    turn === 1 ? [use('write_file', { path, content: 'x' })] : results.join('\n');

const refused = (path: string) =>
  `Error: "${path}" cannot be changed: it decides what agents may do. Where it is meant to be changed, a person adds ` +
  `"write_file(${path})" to allow under [permissions] in the file of the agent that may`;
const created = (path: string) => `created "${path}" (1 bytes)`;

const FILES = {
  'agents/calls.toml':
    'name = "calls"\nmodel = "stage/calls"\n[[functions]]\n' +
    'name = "weather"\ndescription = "w"\nfile = "tools/weather.ts"\n',
  'tools/weather.ts': 'export const handler = () => 1;',
  'agents/follows.toml':
    'name = "follows"\nmodel = "stage/follows"\nskills = ["notes", "team/*", "shared/pdf-*/en"]\n',
};

describe('an agent with the tools for files', () => {
  test('gives no tool to an agent that it may call', async () => {
    const stage = await openStage(
      {
        top: ({ turn, results }) =>
          [
            [use('read_file', { path: 'agents/sub.toml' })],
            [
              use('edit_file', {
                path: 'agents/sub.toml',
                old_string: 'model',
                new_string: 'tools = ["run_command"]\nmodel',
              }),
            ],
            [call('sub', 'go')],
          ][turn - 1] ?? results.join('\n'),
        sub: ({ request }) => `tools: ${request.tools.map(({ name }) => name).join()}`,
      },
      { top: 'tools = ["files"]\nsub_agents = ["sub"]' },
    );
    expect((await stage.run()).out).toBe('tools: ');
  });

  test.each([
    'agents/new.toml',
    'agents/Sub.TOML',
    'tools/weather.ts',
    'skills/notes/SKILL.md',
    'skills/notes/scripts/new.sh',
    'team/new/SKILL.md',
    'shared/pdf-new/en/SKILL.md',
  ])('changes nothing that decides what agents may do: %s', async (path) => {
    const stage = await openStage({ top: writes(path) }, { top: 'tools = ["files"]' }, FILES);
    expect((await stage.run()).out).toBe(refused(path));
  });

  test.each([
    ['linked/new.toml', 'agents/new.toml'],
    ['shared/other.toml', 'shared/other.toml'],
  ])('changes no agent by a link: %s', async (path, real) => {
    const stage = await openStage({ top: writes(path) }, { top: 'tools = ["files"]' });
    await mkdir(join(stage.cwd, 'shared'));
    await symlink('agents', join(stage.cwd, 'linked'));
    await symlink('../shared/other.toml', join(stage.cwd, 'agents/other.toml'));
    expect((await stage.run()).out).toBe(refused(real));
  });

  test('changes none from a workdir that is the folder of agents', async () => {
    const stage = await openStage(
      { top: writes('new.toml') },
      { top: 'tools = ["files"]\nworkdir = "agents"' },
    );
    expect((await stage.run()).out).toBe(refused('new.toml'));
  });

  test.each(['agents/notes.md', 'agents/old/sub.toml', 'sub.toml', 'tools/forecast.ts'])(
    'changes what is beside it: %s',
    async (path) => {
      const stage = await openStage({ top: writes(path) }, { top: 'tools = ["files"]' }, FILES);
      expect((await stage.run()).out).toBe(created(path));
    },
  );

  test.each([
    ['write_file(agents/*.toml)', created('agents/new.toml')],
    ['write_file(agents/)', created('agents/new.toml')],
    ['write_file(agents/new.toml)', created('agents/new.toml')],
    ['write_file(agents/other.toml)', refused('agents/new.toml')],
    ['edit_file(agents/new.toml)', refused('agents/new.toml')],
    ['write_file(**)', refused('agents/new.toml')],
    ['write_file(*.toml)', refused('agents/new.toml')],
    ['write_file', refused('agents/new.toml')],
  ])('changes it where a rule names it: %s', async (rule, text) => {
    const extra = `tools = ["files"]\n[permissions]\nallow = ["${rule}"]`;
    const stage = await openStage({ top: writes('agents/new.toml') }, { top: extra });
    expect((await stage.run()).out).toBe(text);
  });
});

test('agents are protected in a folder of another name, and in those that a server would read', async () => {
  const cwd = await tempFolder({ 'mine/x.toml': 'name = "x"\nmodel = "stage/x"\n' });
  const { source } = await localSources(
    { ...recordedIo(cwd), env: { XDG_CONFIG_HOME: join(cwd, 'home') } },
    'mine',
  );
  const places = [
    'mine/x.toml',
    'agents/x.toml',
    'home/cadre/agents/x.toml',
    'home/cadre/config.toml',
    'home/cadre/trusted/ab12',
    'x.toml',
  ];
  const found = await Promise.all(places.map(async (path) => source.isAgentFile?.(join(cwd, path))));
  expect(found).toEqual([true, true, true, true, true, false]);
});

test('no agent changes the code of Cadre, where its project has installed that', async () => {
  const cwd = join(import.meta.dirname, '../../..');
  const { source } = await localSources({ ...recordedIo(cwd), env: { XDG_CONFIG_HOME: '/nonexistent' } });
  const changes = async (path: string) => source.isAgentFile?.(join(cwd, path));
  expect(await changes('dist/chunks/run-command.js')).toBe(true);
  expect(await changes('src/tools/run-command.ts')).toBe(false);
  expect((await source.decidingFiles?.())?.program).toBe(join(cwd, 'dist'));
});

test('an agent that cannot be read keeps no other from writing', async () => {
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "stage/top"\ntools = ["files"]\n',
    'agents/broken.toml': 'name =',
  });
  const stage = await openStageIn(cwd, { top: writes('a.txt') });
  expect((await stage.run()).out).toBe(created('a.txt'));
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('x');
});
