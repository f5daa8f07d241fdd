import { createHash } from 'node:crypto';
import type { AgentSource } from './agent-source.ts';

/**
 * A rollout: two packs of agents are deployed beside each other, and a share of new trees takes the next one. A tree
 * keeps the pack of its top, whatever becomes of the share. Code is in no pack: all trees run the newest.
 */

/** Agents that were deployed together. */
export interface Pack {
  /** Their folder, and a digest of them: `agents-next@1f0e6b2c9a47`. */
  name: string;
  source: AgentSource;
}

export interface Packs {
  current: Pack;
  next: Pack;
  /** The share of new trees that takes the next pack, from 0 to 1. */
  share(): Promise<number>;
}

/** A run whose agent is looked up. */
export interface PackedFor {
  /** The run at the top of its tree. */
  root: string;
  agent: string;
  /** Whether it is that run. */
  isTop: boolean;
  /** As in `Run`: that of its caller or, where it is opened once more, its own. */
  pack?: string | undefined;
}

/** How many of the values of 32 bits there are. */
const VALUES = 2 ** 32;

/**
 * Whether a new tree takes the next pack. This follows from its id alone, so that every process decides alike; a larger
 * share takes the same trees as a smaller one, and more.
 */
export function takesNext(root: string, share: number): boolean {
  return createHash('sha256').update(root).digest().readUInt32BE(0) / VALUES < share;
}

/**
 * The pack in which the agent of a run is looked up. If only one of the packs has the agent at the top of a tree, the
 * tree takes that one, so that chance never leads to a missing agent.
 */
export async function choosePack({ root, agent, isTop, pack }: PackedFor, packs: Packs): Promise<Pack> {
  const { current, next } = packs;
  if (pack !== undefined || !isTop) return keptPack(pack, packs);
  const [wanted, other] = takesNext(root, await packs.share()) ? [next, current] : [current, next];
  const has = async ({ source }: Pack) => (await source.read(agent)) !== undefined;
  return (await has(wanted)) || !(await has(other)) ? wanted : other;
}

/**
 * The pack of a tree that has one. If that is no longer deployed, its replacement: the newest from the same folder, or
 * else the current one, as for all trees where there is no rollout.
 */
function keptPack(name: string | undefined, { current, next }: Packs): Pack {
  const both = [current, next];
  return (
    both.find((pack) => pack.name === name) ??
    both.find((pack) => folderOf(pack.name) === folderOf(name ?? '')) ??
    current
  );
}

/** A name cannot be mistaken for that of other agents from the same folder. */
export function packName(folder: string, digest: string): string {
  return `${folder}@${digest}`;
}

/** Whether a pack is meant by its name, or by the folder that it is of. */
export function isOfPack(name: string, wanted: string): boolean {
  return name === wanted || folderOf(name) === wanted;
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf('@'), 0));
}
