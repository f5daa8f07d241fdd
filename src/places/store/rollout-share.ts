import { replace } from './replace.ts';
import { fromItem, toStored } from './stored.ts';
import type { Key, Table } from './table.ts';

/** The share that a person has set for a rollout, instead of the deployed one. */
export interface SetShare {
  /** Which rollout it was set for: it says nothing about any other. */
  rollout: string;
  /** From 0 to 1. */
  next: number;
  by: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** A pack of agents in a rollout. */
export interface PackInUse {
  /** Their folder, and a digest of them. */
  pack: string;
  /** Of new trees, from 0 to 1. */
  share: number;
  /** How many trees with a run under way take agents from it. */
  trees: number;
}

export interface RolloutState {
  current: PackInUse;
  next: PackInUse;
  /** Who has changed the deployed shares, and when; absent: nobody has. */
  set?: Pick<SetShare, 'at' | 'by'>;
}

const SHARE: Key = { partition: 'index', sort: 'rollout' };

/** What was set for this rollout; undefined if nothing was. */
export async function readShare(table: Table, rollout: string): Promise<SetShare | undefined> {
  const item = await table.get(SHARE);
  const set = item && fromItem<SetShare>(item);
  return set?.rollout === rollout ? set : undefined;
}

/** @param table whose items do not expire */
export async function setShare(table: Table, share: SetShare): Promise<void> {
  await replace(table, SHARE, toStored(share), 'the share of the rollout changes too often; try again');
}
