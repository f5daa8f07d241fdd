import * as v from 'valibot';
import type { CallKey } from '../records/call.ts';
import { DEAD, isIn } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import { RemoteRequest, RemoteState } from '../records/remote.ts';
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
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const ask = (request: RemoteRequest) =>
    servers.call(server, {
      tool: REMOTE_TOOL,
      name: REMOTE_TOOL,
      arguments: request,
      isRepeatable: true,
      signal,
    });
  try {
    const { state, task } = (await lastState(id, turns, { store, ask })) ?? {};
    if (task === undefined || (state !== 'working' && state !== 'asks')) return;
    await ask({ ask: 'cancel', task });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

/**
 * What the remote agent was heard of last. A message whose answer is not known may have arrived: with its id, it is sent
 * once more to learn the name of its task.
 * @returns undefined if nothing was begun, or nothing answers
 */
async function lastState(
  run: string,
  turns: readonly Turn[],
  {
    store,
    ask,
  }: Pick<GiveUpPorts, 'store'> & {
    ask: (request: RemoteRequest) => Promise<{ text: string; isError?: boolean }>;
  },
): Promise<RemoteState | undefined> {
  for (const { number: turn, answer } of turns.toReversed()) {
    const index = answer.calls.findIndex(({ name }) => name === REMOTE_TOOL);
    if (index < 0) continue;
    const at: CallKey = { run, turn, call: index + 1 };
    const kept = await store.callResult(at);
    const request = v.parse(RemoteRequest, answer.calls[index]?.arguments);
    const isUnknown = kept === undefined || kept.isError;
    if (isUnknown && request.ask !== 'send') continue;
    const heard = isUnknown ? await ask(request) : kept;
    return heard.isError ? undefined : v.parse(v.pipe(v.string(), v.parseJson(), RemoteState), heard.text);
  }
  return undefined;
}
