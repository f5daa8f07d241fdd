import type { EvalReport, Try } from '../../core/reports/eval-report.ts';
import type { JudgeVerdict } from './judge.ts';

/** What evaluations leave behind for later ones. */
export interface KeptEvals {
  /** The run that played a case with these bytes. */
  played(key: string): Promise<string | undefined>;
  keepPlayed(key: string, run: string): Promise<void>;
  /** What a judge said of this before; else asks it, once even where several ask at once. */
  judged(key: string, ask: () => Promise<JudgeVerdict>): Promise<JudgeVerdict>;
  /** Takes the files over that a run has left. @returns where they are now, absolute */
  keepWorkspace(run: string, from: string): Promise<string>;
  /** Where they are; undefined if they are not kept. */
  workspaceOf(run: string): Promise<string | undefined>;
  /** Begins an evaluation, or goes on with the one of the same digest that was broken off last. */
  begin(digest: string, file: string, now: number): Promise<EvalSession>;
}

/** An evaluation under way. */
export interface EvalSession {
  id: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** The result of a try that was finished before. @param at which try */
  finished(at: string): Try | undefined;
  /** The run that a try was begun with. */
  begun(at: string): string | undefined;
  /** Absolute: where the files of a run are while it works. */
  workOf(run: string): string;
  begin(at: string, run: string): void;
  finish(at: string, result: Try): void;
  /** Keeps the report, and forgets the rest. */
  end(report: EvalReport): Promise<void>;
}
