import * as v from 'valibot';
import type { CallKey } from '../records/call.ts';
import { DEAD, isIn } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import { RemoteState, type RemoteRequest } from '../records/remote.ts';
import { REMOTE_TOOL } from '../records/remote-model.ts';
import type { Turn } from '../records/turn.ts';
import type { ToolServers } from '../tool-contracts/tool.ts';

/** A tree that is stopped does not wait long for others. */
const GIVE_UP_MS = 10_000;

export interface GiveUpPorts {
  store: Pick<RunStore, 'callResult' | 'opened' | 'run' | 'turns'>;
  servers?: Pick<ToolServers, 'call'>;
}

/**
 * Cancels the task that a run has had a remote agent do, once the run has ended without its answer. An agent that cannot be
 * reached goes on: nobody is left to whom that would matter.
 */
export async function giveUpRemote(id: string, { store, servers }: GiveUpPorts): Promise<void> {
  const [run, opened, turns] = await Promise.all([store.run(id), store.opened(id), store.turns(id)]);
  const [server] = Object.values(opened?.servers ?? {});
  // It may have been resumed meanwhile.
  if (servers === undefined || server === undefined || run === undefined || !isIn(DEAD, run)) return;
  const task = await openTask(id, turns, store);
  if (task === undefined) return;
  const request: RemoteRequest = { ask: 'cancel', task };
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  try {
    const call = { tool: REMOTE_TOOL, name: REMOTE_TOOL, arguments: request, isRepeatable: true, signal };
    await servers.call(server, call);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

/** The name of the task as the remote agent was heard of last; undefined if it is over, or none was begun. */
async function openTask(
  run: string,
  turns: readonly Turn[],
  store: GiveUpPorts['store'],
): Promise<string | undefined> {
  for (const { number: turn, answer } of turns.toReversed()) {
    const index = answer.calls.findIndex(({ name }) => name === REMOTE_TOOL);
    if (index < 0) continue;
    const at: CallKey = { run, turn, call: index + 1 };
    const kept = await store.callResult(at);
    if (kept === undefined || kept.isError) continue;
    const { state, task } = v.parse(v.pipe(v.string(), v.parseJson(), RemoteState), kept.text);
    return state === 'working' || state === 'asks' ? task : undefined;
  }
  return undefined;
}
