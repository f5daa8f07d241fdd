import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import type { RunTree } from '../../api/answers.ts';
import { ApiError, get } from '../client/api.ts';
import { followEvents } from '../client/event-stream.ts';
import { linkedAnswer } from '../client/linked-answer.ts';
import { TreeStore } from './tree-store.ts';

/** Between attempts to read a tree, in milliseconds. */
const RETRY_MS = 2_000;

export interface FollowedTree {
  tree: TreeStore;
  /** Why the server sends nothing, or nothing new; undefined if all is well or no server answers. */
  problem: string | undefined;
}

/**
 * The tree of a run, live: components that use it are rendered again when it has changed, once per animation frame at
 * most.
 */
export function useTree(top: string): FollowedTree {
  const tree = useMemo(() => new TreeStore(top), [top]);
  const [, update] = useReducer((version: number) => version + 1, 0);
  const [problem, setProblem] = useState<string>();
  useEffect(() => tree.subscribe(() => update(undefined)), [tree]);
  useEffect(() => {
    let ending = new AbortController();
    const follow = () => {
      ending.abort();
      ending = new AbortController();
      const { signal } = ending;
      void followTree(tree, signal, setProblem).catch((thrown: unknown) => {
        if (signal.aborted) return;
        const isRefused = thrown instanceof ApiError && !thrown.isFinal;
        setProblem(isRefused && thrown.isLost ? undefined : messageOf(thrown));
        if (isRefused) setTimeout(() => signal.aborted || follow(), RETRY_MS);
      });
    };
    follow();
    const unsubscribe = tree.onRefresh(follow);
    // It may have been resumed since, elsewhere.
    const onVisible = () => {
      if (document.visibilityState === 'visible' && tree.root?.totals.atWork === 0) follow();
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      ending.abort();
      unsubscribe();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [tree]);
  return { tree, problem };
}

/** Reads the tree, which is fast however much was said in it, and then follows it while anything is at work. */
async function followTree(
  tree: TreeStore,
  signal: AbortSignal,
  onProblem: (problem: string | undefined) => void,
): Promise<void> {
  const read = await get<RunTree>(`runs/${tree.top}/tree`, signal);
  // Those on another host are followed instead.
  const runs = read.runs ?? (read.runs_link && (await linkedAnswer<RunOverview[]>(read.runs_link, signal)));
  if (signal.aborted) return;
  onProblem(undefined);
  tree.put(runs ?? []);
  if (runs !== undefined && !runs.some(({ status }) => status === 'running')) return;
  const path = `runs/${tree.top}/tree/events`;
  for await (const { data } of followEvents({ path, signal, onRefused: onProblem })) {
    tree.put(runsIn(data));
  }
}

function runsIn(data: string): readonly RunOverview[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server sends what src/doors/api/tree-events.ts tells
  return (JSON.parse(data) as { runs: readonly RunOverview[] }).runs;
}
