import type { CallReference, RunIdentity, RunStatus, Usage } from './run.ts';

/** What happens in a tree as it happens, for whoever watches. Watching never fails a run. */
export type RunEvent = RunIdentity &
  (
    | { type: 'run_opened'; parent?: CallReference; task: string }
    | { type: 'turn_started'; turn: number; messages: number; pendingCalls: number }
    | { type: 'turn_waiting'; turn: number; delayMs: number; reason: string }
    | {
        type: 'turn_finished';
        turn: number;
        stopReason: string;
        calls: number;
        latencyMs: number;
        usage: Usage;
      }
    /** Something that a user should know and that did not keep the run from its answer: a sentence. */
    | { type: 'warning'; message: string }
    | {
        type: 'run_closed';
        status: RunStatus;
        durationMs: number;
        characters: number;
        /** The failure's name and text; "" if it succeeded. */
        error: string;
        reason: string;
      }
  );

export type EmitRunEvent = (event: RunEvent) => void;
