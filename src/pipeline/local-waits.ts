import type { Waiting } from '../conversation/ask-person.ts';
import type { Wake } from '../executions/wake.ts';
import { isApproved } from '../runs/approval.ts';
import type { CallKey } from '../runs/call.ts';
import { clockName } from '../runs/clock.ts';
import { questionAnsweredEvent, type EmitRunEvent } from '../runs/event.ts';
import type { Questions } from '../runs/ports.ts';

/** How often the store is looked at while something waits: whoever answers may be another process. */
const POLL_MS = 100;

/** What waits for people in this process. */
export interface LocalWaits {
  add(waiting: Waiting): void;
  /** Looks at once for the answer to a question. */
  look(question: CallKey): Promise<void>;
  /** Looks no more. */
  close(): void;
}

export interface LocalWaitsPorts {
  store: Questions;
  wake: Wake;
  isRunning(execution: string): Promise<boolean>;
  emit: EmitRunEvent;
  now: () => number;
  /** Told of what goes wrong while the store is looked at. */
  report(thrown: unknown): void;
}

/** Wakes executions of this process when their questions have ended, by whichever process. */
export function createLocalWaits({ store, wake, isRunning, emit, now, report }: LocalWaitsPorts): LocalWaits {
  const waits = new Set<Waiting>();
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(waiting: Waiting): Promise<void> {
    const { run, question, execution, token, until } = waiting;
    if (!(await isRunning(execution))) return void waits.delete(waiting);
    const answer = await store.answer(question);
    if (answer === undefined && now() < until) return;
    const ended = answer ?? (await store.saveAnswer(question, { at: new Date(now()).toISOString() }));
    // Two may look at once.
    if (!waits.delete(waiting)) return;
    emit(questionAnsweredEvent(run, question, ended));
    await wake(token, { approved: isApproved(ended) });
  }

  async function lookAtAll(): Promise<void> {
    try {
      await Promise.all([...waits].map(look));
    } catch (thrown) {
      report(thrown);
    } finally {
      timer = undefined;
      lookLater();
    }
  }

  /** As long as anything waits, and as soon as the next wait is over. */
  function lookLater(): void {
    if (timer !== undefined || waits.size === 0 || isClosed) return;
    const next = Math.min(...[...waits].map(({ until }) => until)) - now();
    timer = setTimeout(() => void lookAtAll(), Math.max(0, Math.min(POLL_MS, next)));
  }

  return {
    add(waiting) {
      waits.add(waiting);
      lookLater();
    },
    async look(question) {
      const name = clockName(question);
      await Promise.all([...waits].filter((waiting) => clockName(waiting.question) === name).map(look));
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
