import type { Instant } from '../../core/records/times.ts';
import type { WaitingState } from '../../core/turn/ask-person.ts';
import type { Wake } from '../../core/machine/wake.ts';
import { isApproved } from '../../core/records/approval.ts';
import type { CallKey } from '../../core/records/call.ts';
import { clockName } from '../../core/records/clock.ts';
import type { Questions } from '../../core/records/ports.ts';
import { createPoll } from '../poll.ts';

/** The waits for people in this process. */
export interface LocalWaits {
  add(waiting: WaitingState): void;
  /** Whether no question is open. */
  areNone(): boolean;
  /** Looks at once for the answer to a question. */
  look(question: CallKey): Promise<void>;
  /** Ends the questions of a run that continues: what it does next is told after that. */
  over(run: string): Promise<void>;
  /** Looks no more. */
  close(): void;
}

export interface LocalWaitsPorts {
  store: Questions;
  wake: Wake;
  isRunning(execution: string): Promise<boolean>;
  now: () => Instant;
  /** Called with failures while the store is looked at. */
  report(thrown: unknown): void;
}

/** Wakes executions of this process when their questions have ended, by whichever process. */
export function createLocalWaits({ store, wake, isRunning, now, report }: LocalWaitsPorts): LocalWaits {
  const waits = new Set<WaitingState>();

  /** @param until when its time is over */
  async function look(waiting: WaitingState, until = waiting.until): Promise<void> {
    const { question, execution, token } = waiting;
    if (!(await isRunning(execution))) return void waits.delete(waiting);
    const answer = await store.answer(question);
    if (answer === undefined && now() < until) return;
    const ended = answer ?? (await store.saveAnswer(question, { at: new Date(now()).toISOString() }));
    // Two may look at once.
    if (!waits.delete(waiting)) return;
    await wake(token, { approved: isApproved(ended) });
  }

  const poll = createPoll(
    async () => void (await Promise.all([...waits].map((waiting) => look(waiting)))),
    () => waits.size > 0,
    report,
    // The end of a wait is not missed by an interval.
    () => Math.min(...[...waits].map(({ until }) => until)) - now(),
  );
  return {
    add(waiting) {
      waits.add(waiting);
      poll.go();
    },
    async look(question) {
      const name = clockName(question);
      const asked = [...waits].filter((waiting) => clockName(waiting.question) === name);
      await Promise.all(asked.map((waiting) => look(waiting)));
    },
    areNone: () => waits.size === 0,
    async over(run) {
      const asked = [...waits].filter(({ question }) => question.run === run);
      await Promise.all(asked.map((waiting) => look(waiting, 0)));
    },
    close: poll.close,
  };
}
