import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import project from '../../../package.json' with { type: 'json' };
import { agentTree } from '../../core/agent-schema/agent-tree.ts';
import type { AgentSource, LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { hookFunctionName } from '../../core/agent-schema/hook-schema.ts';
import { ownFunctions, type OwnFunction } from '../../core/agent-schema/own-functions.ts';
import type { FunctionTarget } from '../../core/records/call.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { loadSkill } from '../../core/agent-schema/skill.ts';
import { toolsNamed } from '../../core/agent-schema/tool-names.ts';
import { bundleModule } from '../../places/local/workspace/bundle-module.ts';
import { findModule } from '../../places/local/workspace/module-file.ts';

/** What decides how a case is played, as far as files say it. */
export interface Shape {
  digest: string;
  /** Whether the agents reach what no digest knows: servers, the web, functions of Lambda. */
  isOpen: boolean;
}

export interface ShapePorts {
  source: AgentSource;
  /** Absolute: what scripts of models are relative to. */
  folder: string;
  /** The module that stands in for the agents' functions; absent: their own are called. */
  functions?: { real: string } | undefined;
}

/**
 * The digest of agents with all that they call: their files, skills, scripts and modules, and this version of Cadre.
 * @throws {ConfigError} if one of the agents cannot be used
 */
export async function shapeOf(
  agents: readonly string[],
  { source, folder, functions }: ShapePorts,
): Promise<Shape> {
  const parts: unknown[] = [project.version];
  let isOpen = false;
  if (functions !== undefined)
    parts.push(await bundleModule({ root: folder, target: 'node20', entry: stub(functions.real, folder) }));
  for (const name of agents) {
    for await (const loaded of agentTree(name, await loadAgent(name, source), source)) {
      const { agent, root } = loaded;
      const called = ownFunctions(agent).filter(
        (each) => functions === undefined || isHook(each.name, each.source),
      );
      parts.push([
        agent,
        await loadSkill(agent.skill, root, source),
        await modulesOf(called, root),
        await skillsOf(loaded, source),
        await scriptOf(agent.model, folder),
      ]);
      isOpen ||=
        agent.mcpServers.length > 0 ||
        agent.remoteAgents.length > 0 ||
        toolsNamed(agent.tools).some((tool) => REACHING.has(tool)) ||
        called.some(({ source: each }) => 'function' in each);
    }
  }
  return { digest: digestOf(parts), isOpen };
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Tools that read what others write. */
const REACHING = new Set(['fetch_url', 'web_search']);

/** Whether a function is a module that is asked by hooks, and no model can call. */
export function isHook(name: string, source: FunctionTarget['source']): boolean {
  return 'file' in source && name === hookFunctionName(source.file);
}

/** The texts of modules, with all that they import. */
async function modulesOf(functions: readonly OwnFunction[], root: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { source } of functions) {
    if (!('file' in source)) continue;
    texts.push(await bundleModule({ root, target: 'node20', entry: await findModule(root, source.file) }));
  }
  return texts;
}

/** The skills that an agent may load, with all files in their folders, which it may read. */
async function skillsOf(loaded: LoadedAgent, source: AgentSource): Promise<string[]> {
  const skills = (await source.skills?.(loaded)) ?? [];
  return Promise.all(skills.map(({ folder }) => folderDigest(resolve(loaded.root, folder))));
}

/** A module that need not export a handler. */
function stub(real: string, folder: string) {
  return { contents: `export * from ${JSON.stringify(real)};`, resolveDir: folder, loader: 'js' } as const;
}

/** The script of a model that plays one; "" for any other. */
export async function scriptOf(model: string, folder: string): Promise<string> {
  if (!model.startsWith('scripted/')) return '';
  // One that cannot be read is told of by the run.
  return readFile(resolve(folder, model.slice('scripted/'.length)), 'utf8').catch(() => '');
}

export async function fileDigest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** The digest of a folder: names, contents, what may be executed, and where links lead. */
export async function folderDigest(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true });
  const parts = await Promise.all(
    entries.sort().map(async (name) => {
      const path = join(folder, name);
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) return [name, 'link', await readlink(path)];
      if (!stats.isFile()) return [name, 'folder'];
      return [name, (stats.mode & 0o111) !== 0, await fileDigest(path)];
    }),
  );
  return digestOf(parts);
}
