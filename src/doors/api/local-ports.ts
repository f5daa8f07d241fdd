import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { messageOf } from '../../errors.ts';
import { closeInterrupted } from '../../places/close-interrupted.ts';
import type { LocalPipeline } from '../../places/local/local-pipeline.ts';
import { createLocalSteering } from '../../places/local/local-steering.ts';
import { createLockedExecutions, type LockedExecutions } from '../../places/local/locked-executions.ts';
import type { RunEvent } from '../../core/events/event.ts';
import type { AttendedPorts } from './attended-run.ts';

export interface LocalPortsOptions {
  pipeline: LocalPipeline;
  source: AgentSource;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  now: () => number;
  /** Takes a line for people, without its newline. */
  tell: (line: string) => void;
}

/** Long enough to fetch what an answer led to; nothing expires here. */
const LINK_MS = 15 * 60_000;

/** The ports of doors to the local pipeline. Faults that may go unread in an answer are told to people. */
export function localPorts({ pipeline, source, models, now, tell }: LocalPortsOptions): AttendedPorts & {
  executions: LockedExecutions;
} {
  const { store: runs, blobs, locks } = pipeline;
  const executions = createLockedExecutions(pipeline, (thrown) => tell(`Error: ${messageOf(thrown)}`));
  const steering = createLocalSteering(pipeline, executions, now);
  const isCarriedOut = (root: string) => locks.isHeld(root);
  return {
    source,
    runs,
    executions,
    models,
    isCarriedOut,
    follow: pipeline.follow,
    look: pipeline.look,
    told: pipeline.told,
    streams: true,
    closeInterrupted: (run, cause) => closeInterrupted(run, cause, pipeline, now),
    async publish(key, text) {
      await blobs.put(key, text);
      return { url: `/${key}`, expiresAt: now() + LINK_MS };
    },
    wakeAsker: pipeline.wakeAsker,
    send: async (message) => void (await steering.send(message)),
    kill: steering.kill,
    resume: steering.resume,
    now,
    log: ({ id, method, path, thrown }) => {
      const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tell(`Error: ${id}: ${method} ${path}: ${trace}`);
    },
  };
}

/**
 * The news for a person who serves agents: warnings, and runs that failed.
 * @param tell takes a line, without its newline
 */
export function servedNotices(tell: (line: string) => void): (event: RunEvent) => void {
  return (event) => {
    if (event.type === 'warning') tell(`Warning: ${event.message}`);
    // A sub-agent's failure is its parent's matter.
    if (event.type !== 'run_closed' || event.depth > 0) return;
    if (event.status === 'failed' || event.status === 'timed_out') {
      tell(`Error: run ${event.run} ${event.status.replace('_', ' ')}: ${event.reason}`);
    }
  };
}
