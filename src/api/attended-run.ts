import type { Agent } from '../agent/agent.ts';
import type { EmitRunEvent } from '../runs/event.ts';
import type { RunRequest } from '../runs/request.ts';
import type { Run } from '../runs/run.ts';
import { resultOf, type Turn } from '../runs/turn.ts';
import type { ApiPorts } from './ports.ts';
import { untilEnded } from './run-resources.ts';
import { startOnce } from './start-run.ts';

/** What it takes to wait for runs that this process carries out. */
export interface AttendedPorts extends ApiPorts {
  /**
   * Tells the listener of everything that happens in runs, pieces of answers included.
   * @returns ends that
   */
  listen(listener: EmitRunEvent): () => void;
}

/** How a run ended whose client waited for it. */
export interface EndedRun {
  run: Run;
  /** Its answer; "" if there is none. */
  content: string;
  turns: Turn[];
  /** The run and everything below it. */
  tree: Run[];
}

/**
 * Starts a run for a client that waits for it.
 * @param id of the run, a new one
 * @param signal stops the run with everything below it: its client has left
 * @param onEvent told of all that happens in its tree
 * @returns its end, once it has started: rejected with a problem (409) if nobody is left to carry it out
 */
export async function attendRun(
  id: string,
  request: RunRequest,
  agent: Agent,
  ports: AttendedPorts,
  signal: AbortSignal,
  onEvent: EmitRunEvent = () => {},
): Promise<{ ended: Promise<EndedRun> }> {
  const { executions } = ports;
  let close = () => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const unlisten = ports.listen((event) => {
    if (event.root !== id) return;
    onEvent(event);
    if (event.type === 'run_closed' && event.run === id) close();
  });
  try {
    const { execution } = await startOnce(id, request, agent, ports);
    // What cannot be stopped has ended.
    const stop = () => void executions.stop(execution, 'its client left').catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const ended = Promise.race([closed, executions.wait(execution)])
      .then(() => endOf(id, ports))
      .finally(() => {
        signal.removeEventListener('abort', stop);
        unlisten();
      });
    return { ended };
  } catch (thrown) {
    unlisten();
    throw thrown;
  }
}

/** Its record is closed by now, or shortly after: by what comes after an execution that ended in another way. */
async function endOf(id: string, ports: AttendedPorts): Promise<EndedRun> {
  const { runs } = ports;
  const known = await runs.run(id);
  if (known === undefined) throw new Error(`run "${id}" left no record`);
  const run = await untilEnded(known, Infinity, new AbortController().signal, ports);
  const [turns, tree] = await Promise.all([runs.turns(id), runs.tree(id)]);
  return { run, content: resultOf(run, turns), turns, tree };
}
