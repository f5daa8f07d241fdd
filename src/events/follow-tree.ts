import type { RunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Positions } from './positions.ts';
import { pollTree, type PollPorts } from './poll.ts';
import { createTreeReader, type Top } from './records.ts';
import { createTeller } from './tell.ts';
import type { TreeEvent } from './tree-event.ts';
import { loadOwnTools } from '../tools/load-own-tools.ts';

export interface Following<Part> {
  top: Top;
  /** What is told of each event. */
  toParts: (event: TreeEvent) => readonly Part[];
  /** What has been told before. If that includes an end of the top, it takes a later end to finish. */
  from?: Positions;
}

/**
 * Tells what happens in a tree, wherever it is carried out, until its top has ended, nobody carries it out any more or
 * the signal is aborted.
 */
export async function* followTree<Part>(
  { top, toParts, from }: Following<Part>,
  ports: PollPorts,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const teller = createTeller(top, toParts, from);
  const closedBefore = teller.closedBy();
  for await (const { records, isAbandoned } of pollTree(top, ports, signal, from)) {
    yield* teller.news(records);
    if (isAbandoned || teller.closedBy() > closedBefore) return;
  }
}

/** What there is of a tree already, so that nothing of it is told again. */
export async function toldAlready(top: Top, store: RunStore): Promise<Positions> {
  const reader = createTreeReader(top, store, loadOwnTools, Date.now);
  await reader.read();
  const { news, positions } = createTeller<RunEvent>(top, ({ event }) => [event]);
  for (const _ of news(reader.records));
  return positions;
}
