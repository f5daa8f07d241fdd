import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { RESERVED_PREFIX } from '../../../core/agent-schema/agent-name.ts';
import type { AgentSource, LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { defined } from '../../../defined.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';
import { readSkillFile } from './skill-file.ts';

/**
 * The file in which agents travel with a deployed function. Their skills lie beside it as they lie beside `agents/`.
 */
export const PACKED_AGENTS = 'agents.json';

/** Their files as they were written, beside it where people read them. */
export const PACKED_TEXTS = 'agent-files.json';

type PackedAgents = Record<string, Pick<LoadedAgent, 'agent' | 'warnings' | 'skills'>>;

/** Agents by name, checked, as a function reads them: it needs no parser and no check, and starts the faster for it. */
export function packAgents(agents: ReadonlyMap<string, LoadedAgent>): string {
  const packed: PackedAgents = {};
  for (const [name, { agent, warnings, skills }] of agents) {
    packed[name] = { agent, warnings, ...defined({ skills }) };
  }
  return JSON.stringify(packed);
}

/** The files of agents by name, apart from these: no run needs them. */
export function packTexts(agents: ReadonlyMap<string, LoadedAgent>): string {
  const texts: Record<string, string> = {};
  for (const [name, { file }] of agents) {
    if (file !== undefined) texts[name] = new TextDecoder().decode(file.bytes);
  }
  return JSON.stringify(texts);
}

/**
 * The agents that were packed into a folder. Deployed files do not change, so they are read once.
 * @param folder absolute: their root
 */
export function openPackedAgents(folder: string): AgentSource {
  let reading: Promise<ReadonlyMap<string, LoadedAgent>> | undefined;
  const agents = () => (reading ??= unpack(folder));
  return {
    list: async () => [...(await agents()).keys()].filter((name) => !name.startsWith(RESERVED_PREFIX)).sort(),
    read: async (name) => (await agents()).get(name),
    readText: async (name) => (await readTexts(folder)).get(name),
    readSkill: (path) => readPackedSkill(path, folder),
    skills: ({ skills = [] }) => Promise.resolve([...skills]),
  };
}

/**
 * Only packed files: the caller that starts a run names its skill, and a function's environment has its credentials.
 */
async function readPackedSkill(path: string, folder: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !isInside(real, await realpath(folder))) return undefined;
  return readSkillFile(real);
}

/** @returns none where an earlier release has packed the agents */
async function readTexts(folder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(folder, PACKED_TEXTS), 'utf8').catch(() => '{}');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packTexts made it when deploying
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

async function unpack(folder: string): Promise<ReadonlyMap<string, LoadedAgent>> {
  const text = await readFile(join(folder, PACKED_AGENTS), 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packAgents made it from checked agents when deploying
  const packed = JSON.parse(text) as PackedAgents;
  return new Map(Object.entries(packed).map(([name, loaded]) => [name, { ...loaded, root: folder }]));
}
