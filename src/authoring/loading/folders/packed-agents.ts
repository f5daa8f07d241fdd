import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { RESERVED_PREFIX } from '../../../core/agent-schema/agent-name.ts';
import type { AgentSource, LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { choosePack } from '../../../core/agent-schema/packs.ts';
import { defined } from '../../../defined.ts';
import type { Rollout } from '../../../places/aws/deployment.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';
import { readSkillFile } from './skill-file.ts';

/**
 * The file in which agents travel with a deployed function. Their skills lie beside it as they lie beside `agents/`.
 */
export const PACKED_AGENTS = 'agents.json';

/** Their files as they were written, beside it where people read them. */
export const PACKED_TEXTS = 'agent-files.json';

/** Beside both, where new trees are moved from these agents to others: the other ones, and how many take them. */
export const PACKED_ROLLOUT = 'rollout.json';

type PackedAgents = Record<string, Pick<LoadedAgent, 'agent' | 'warnings' | 'skills'>>;

/** The share that a person has set for a rollout; undefined: nobody has. */
export type ReadShare = (rollout: string) => Promise<number | undefined>;

/** Agents by name, checked, as a function reads them: it needs no parser and no check, and starts the faster for it. */
export function packAgents(agents: ReadonlyMap<string, LoadedAgent>): string {
  const packed: PackedAgents = {};
  for (const [name, { agent, warnings, skills }] of agents) {
    packed[name] = { agent, warnings, ...defined({ skills }) };
  }
  return JSON.stringify(packed);
}

/** @param agents those of the next pack */
export function packRollout(rollout: Rollout, agents: ReadonlyMap<string, LoadedAgent>): string {
  return JSON.stringify({ ...rollout, agents: packAgents(agents) });
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
 * The agents that were packed into a folder. Deployed files do not change, so they are read once. During a rollout, an
 * agent that is in both packs is read from the current one.
 * @param folder absolute: their root
 */
export function openPackedAgents(folder: string, readShare: ReadShare = async () => undefined): AgentSource {
  let unpacking: Promise<Unpacked> | undefined;
  const unpacked = () => (unpacking ??= unpack(folder));
  const inPack = (agents: () => Promise<ReadonlyMap<string, LoadedAgent>>): AgentSource => ({
    list: async () => [...(await agents()).keys()].filter((name) => !name.startsWith(RESERVED_PREFIX)).sort(),
    read: async (name) => (await agents()).get(name),
    readText: async (name) => (await readTexts(folder)).get(name),
    readSkill: (path) => readPackedSkill(path, folder),
    skills: ({ skills = [] }) => Promise.resolve([...skills]),
  });
  const source = inPack(async () => (await unpacked()).all);
  return {
    ...source,
    async packOf(run) {
      const { current, rollout } = await unpacked();
      if (rollout === undefined) return { source };
      const { deployed, next } = rollout;
      return choosePack(run, {
        current: { name: deployed.current, source: inPack(async () => current) },
        next: { name: deployed.next, source: inPack(async () => next) },
        share: async () => (await readShare(deployed.id)) ?? deployed.share,
      });
    },
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

interface Unpacked {
  all: ReadonlyMap<string, LoadedAgent>;
  current: ReadonlyMap<string, LoadedAgent>;
  rollout: { deployed: Rollout; next: ReadonlyMap<string, LoadedAgent> } | undefined;
}

async function unpack(folder: string): Promise<Unpacked> {
  const [packed, text] = await Promise.all([
    readFile(join(folder, PACKED_AGENTS), 'utf8'),
    readFile(join(folder, PACKED_ROLLOUT), 'utf8').catch(() => undefined),
  ]);
  const current = toAgents(packed, folder);
  if (text === undefined) return { all: current, current, rollout: undefined };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packRollout made it when deploying
  const { agents, ...deployed } = JSON.parse(text) as Rollout & { agents: string };
  const next = toAgents(agents, folder);
  return { all: new Map([...next, ...current]), current, rollout: { deployed, next } };
}

function toAgents(text: string, root: string): ReadonlyMap<string, LoadedAgent> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packAgents made it from checked agents when deploying
  const packed = JSON.parse(text) as PackedAgents;
  return new Map(Object.entries(packed).map(([name, loaded]) => [name, { ...loaded, root }]));
}
