import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import type { FormatName } from '../../../authoring/import/draft.ts';
import { findAgents } from '../../../authoring/import/find-agents.ts';
import { importAgents, type ImportedAgent } from '../../../authoring/import/import-agents.ts';
import { checkSkill } from '../../../authoring/skills/find-skills.ts';
import { localConfig } from '../../../authoring/loading/local-sources.ts';
import { findAgentFile, openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { copyFiles } from '../../../places/local/workspace/copy-files.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import { skillsIn } from '../../../authoring/loading/folders/skill-file.ts';
import { assertOverwritable } from './write-new-file.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';
import { checkAgents } from './check-agents.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { assertModelOption } from './model-option.ts';

export interface ImportCommandOptions {
  from?: FormatName;
  model?: string;
  agentsDir?: string;
  force?: boolean;
  dryRun?: boolean;
}

/**
 * `cadre import <path>`: writes the agents found there as agents of Cadre, with the skills that they use. Notes on
 * parts that could not be converted go to stderr. If one of the files exists already, nothing is written.
 * @returns the exit code of `cadre agents check` for the new files
 */
export async function importFrom(path: string, options: ImportCommandOptions, io: Io): Promise<number> {
  const { providers } = await localConfig(io);
  assertModelOption(options.model, io, providers);
  const { root, project, found, skills, isFolder } = findAgents(path, io.cwd, options.from);
  const folder = resolve(io.cwd, options.agentsDir ?? 'agents');
  const target = dirname(folder);
  const folders = { agentsDir: folder, cwd: io.cwd, env: io.env };
  const existing = await openAgentFolders(folders)
    .list()
    .catch(() => []);
  const { loadable, faults } = await checkedSkills(skills, io);
  const { agents, notes } = await importAgents(project, found, {
    ...(options.model !== undefined && { model: options.model }),
    providers,
    existing,
    loadable,
    skills: [...[...skills.values()].flat(), ...(await skillsIn(target))],
  });
  for (const fault of agents.some(({ loadsAll }) => loadsAll) ? faults : []) {
    io.stderr(`Warning: ${oneLine(fault)}\n`);
  }
  const show = (file: string) => relative(io.cwd, file) || '.';
  for (const note of [...notes, ...agents.flatMap((agent) => agent.notes)]) {
    io.stderr(`Warning: ${show(join(root, note.file))}:${note.line}: ${oneLine(note.text)}\n`);
  }
  for (const name of project.outside) {
    io.stderr(`Warning: ${show(join(root, name))}: a link that leads out of the project, left out\n`);
  }
  // Why not has been said.
  if (agents.length === 0) throw new ConfigError(`nothing in ${JSON.stringify(path)} could be imported`);
  const files = agents.map((agent) => ({ agent, path: join(folder, `${agent.name}.toml`) }));
  const followed = new Set(agents.flatMap((agent) => agent.skills));
  const copied = [...skills].map(([from, names]) => ({
    from,
    names: names.filter((name) => isFolder || followed.has(name)),
  }));

  if (options.dryRun === true) {
    for (const { agent, path: file } of files) io.stdout(`# ${show(file)}\n${withOrigin(agent)}\n`);
    for (const { names } of copied) {
      for (const name of names) io.stdout(`# ${show(join(target, 'skills', name))}/\n`);
    }
    return EXIT.success;
  }
  if (options.force !== true) {
    const there = await Promise.all(files.map(({ agent }) => findAgentFile(agent.name, folders)));
    const taken = there.filter((file) => file !== undefined).map((file) => file.path);
    if (taken.length > 0) {
      throw new ConfigError(`agents are there already: ${taken.join(', ')}; --force overwrites them`);
    }
  }
  for (const { from, names } of copied) await copySkills(from, names, target, options.force === true);
  for (const { agent, path: file } of files) {
    await write(file, withOrigin(agent));
    io.stdout(`${show(file)}\n`);
  }
  // It prints a line for each that is in order, which is said already.
  const quiet = { ...io, stdout: () => undefined };
  return checkAgents(
    agents.map(({ name }) => name),
    { agentsDir: folder },
    quiet,
  );
}

/** The names of the skills that agents can load, and what is wrong with the others. */
async function checkedSkills(skills: ReadonlyMap<string, readonly string[]>, { cwd }: Io) {
  const found = [...skills].flatMap(([from, names]) =>
    names.map((name) => ({ name, folder: join(from, name) })),
  );
  const checked = await Promise.all(
    found.map(async ({ name, folder }) => ({ name, errors: (await checkSkill(folder, cwd, cwd)).errors })),
  );
  const loadable = checked.filter(({ errors }) => errors.length === 0).map(({ name }) => name);
  return { loadable: [...new Set(loadable)].sort(), faults: checked.flatMap(({ errors }) => errors) };
}

function withOrigin({ file, toml }: ImportedAgent): string {
  return `# Imported from ${oneLine(file)}.\n\n${toml}`;
}

async function write(path: string, text: string): Promise<void> {
  assertOverwritable(path, `failed to write ${path}`);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new ConfigError(`failed to write ${path}: ${fileFault(error)}`, { cause: error });
  }
}

/** Copies whole skills. @throws {ConfigError} if one is there with other content */
async function copySkills(from: string, names: readonly string[], root: string, overwrites: boolean) {
  const to = join(root, 'skills');
  if (names.length === 0 || from === to) return;
  const source = openFolderWorkspace(from);
  const paths: string[] = [];
  for (const name of names) {
    for await (const { path } of source.list((_, isLink) => !isLink, name)) paths.push(path);
  }
  await mkdir(to, { recursive: true });
  const { differing } = await copyFiles(paths, source, openFolderWorkspace(to), overwrites);
  if (differing.length === 0) return;
  const shown = differing.map((path) => join('skills', path)).join(', ');
  throw new ConfigError(`skills are there already, with other content: ${shown}; --force overwrites them`);
}
