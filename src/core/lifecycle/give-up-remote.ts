import * as v from 'valibot';
import { isIn, OPEN } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import { RemoteRequest, RemoteState } from '../records/remote.ts';
import { REMOTE_TOOL } from '../records/remote-model.ts';
import type { Run } from '../records/run.ts';
import type { ToolServer } from '../records/tool-server.ts';
import type { Turn } from '../records/turn.ts';
import { isHeldBy } from '../turn/hold.ts';
import type { ToolOutput, ToolServers } from '../tool-contracts/tool.ts';

/** A tree that is stopped does not wait long for others. */
const GIVE_UP_MS = 10_000;

export interface GiveUpPorts {
  store: Pick<RunStore, 'callResult' | 'markCall' | 'opened' | 'run' | 'turns' | 'updateRun'>;
  servers?: Pick<ToolServers, 'call'>;
}

/**
 * Cancels a run's task at a remote agent, once the run has ended without its answer. A remote agent that cannot be
 * reached continues: nobody is left to whom that would matter.
 */
export async function giveUpRemote(id: string, { store, servers }: GiveUpPorts): Promise<void> {
  const [run, opened, turns] = await Promise.all([store.run(id), store.opened(id), store.turns(id)]);
  // It may have been resumed since, or another process was first.
  if (servers === undefined || run?.isToGiveUp !== true || isIn(OPEN, run)) return;
  const [server] = Object.values(opened?.servers ?? {});
  if (server !== undefined) await cancelTask(id, turns, server, { store, servers });
  // If it was resumed and has ended again, it has to be given up again.
  const withoutMark = ({ isToGiveUp: _done, ...current }: Run): Run => current;
  await store.updateRun(id, (current) => (isHeldBy(current, run) ? withoutMark(current) : current), run);
}

async function cancelTask(
  run: string,
  turns: readonly Turn[],
  server: ToolServer,
  { store, servers }: Required<GiveUpPorts>,
): Promise<void> {
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const ask = (request: RemoteRequest) =>
    servers.call(server, {
      tool: REMOTE_TOOL,
      name: REMOTE_TOOL,
      // Nobody signs in to remote agents.
      owner: undefined,
      arguments: request,
      isRepeatable: true,
      signal,
    });
  try {
    const task = await openTask(run, turns, { store, ask });
    if (task !== undefined) await ask({ ask: 'cancel', task });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

/** Marks a call that nobody had begun by the end of its run, so that no late function makes it. */
const NEVER_BEGUN = { by: 'nobody', until: 0 };

/**
 * The name of the task by the last request about it. The message that begins a task may have arrived even if its answer
 * was lost: it is sent again with the same id to learn the name.
 * @returns undefined if the task is over, or none was begun
 */
async function openTask(
  run: string,
  turns: readonly Turn[],
  { store, ask }: Pick<GiveUpPorts, 'store'> & { ask: (request: RemoteRequest) => Promise<ToolOutput> },
): Promise<string | undefined> {
  const asked = turns.flatMap(({ number, answer }) =>
    answer.calls.flatMap((call, index) =>
      call.name === REMOTE_TOOL ? [{ call, at: { run, turn: number, call: index + 1 } }] : [],
    ),
  );
  for (const { call, at } of asked.toReversed()) {
    const kept = await store.callResult(at);
    const isKnown = kept !== undefined && !kept.isError;
    const request = v.parse(RemoteRequest, call.arguments);
    if (!isKnown && request.task !== undefined) return request.task;
    // The same message may have been sent before, in vain as far as is known.
    if (!isKnown && (await store.markCall(at, NEVER_BEGUN)).by === NEVER_BEGUN.by) continue;
    const heard = isKnown ? kept : await ask(request);
    if (heard.isError) return undefined;
    const { state, task } = v.parse(v.pipe(v.string(), v.parseJson(), RemoteState), heard.text);
    return state === 'working' || state === 'asks' ? task : undefined;
  }
  return undefined;
}
