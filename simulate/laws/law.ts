import type { KeptDecision } from '../../src/core/records/hook.ts';
import type { Opened } from '../../src/core/records/opened.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Turn } from '../../src/core/records/turn.ts';
import type { Account } from '../world/account.ts';
import type { Claimed } from '../world/claims.ts';
import type { Invocation } from '../world/invocations.ts';
import type { Asked } from '../world/models.ts';

/** Everything written so far, as it took effect. */
export interface Written {
  runs: ReadonlyMap<string, Run>;
  turns(run: string): readonly Turn[];
  /** The records at the moment at which a function was called. */
  before(by: Invocation): { run: Run | undefined; turns: number; holder: number; turn: number };
  /** Whether the call of a function threw, or ended with its process. */
  hasFailed(by: Invocation): boolean;
}

/** Something that always holds. A law is told of everything that happens, and says what is wrong. */
export interface Law {
  /** What it holds, in a sentence. */
  says: string;
  /** A record of a run was written. */
  onRun?(before: Run | undefined, after: Run): string[];
  onOpened?(run: string, opened: Opened): string[];
  /** What a hook decided was written. */
  onDecision?(run: string, decision: KeptDecision): string[];
  /** A function is called. */
  onBegun?(claim: Claimed): string[];
  /** A call of a function threw. */
  onFailed?(by: Invocation, thrown: unknown): string[];
  onTurn?(run: string, turn: Turn, by: Invocation): string[];
  onAsked?(asked: Asked): string[];
  /** A function of a user is called. */
  onDeed?(by: Invocation, name: string, mark: string): string[];
  /** Nothing happens any more, and nothing will. */
  atRest?(account: Account, roots: readonly string[]): Promise<string[]>;
}
