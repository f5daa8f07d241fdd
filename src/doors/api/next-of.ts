import { setTimeout as delay } from 'node:timers/promises';
import type { RunEvent } from '../../core/events/event.ts';
import type { Question } from '../../core/records/question.ts';
import type { Run } from '../../core/records/run.ts';
import type { ApiContext } from './context.ts';
import { listen } from './listen.ts';
import { openQuestions } from '../../core/reports/open-questions.ts';
import { isToGoOn } from '../../places/until-rested.ts';
import { findRun, untilEnded } from './run-resources.ts';

/** The next message to a client about a run. */
export type Next =
  | { kind: 'ended'; run: Run }
  | { kind: 'asks'; run: Run; questions: Question[] }
  /** The time to wait is over, or the client has gone. */
  | { kind: 'works'; run: Run };

/**
 * What to do with questions: ask the client; decline them, since the client that started the run cannot be asked; or,
 * for a request that only reads, leave them to others.
 */
export type WithQuestions = 'ask' | 'decline' | 'leave';

/** How long to wait for the client, and what it can be asked. */
export interface Patience {
  seconds: number;
  signal: AbortSignal;
  asking: WithQuestions;
}

/** The events of a tree, from now on. */
export interface TreeNews {
  /** Waits until it has ended or a person is asked, if neither happened since the last time. */
  next(): Promise<void>;
  close(): void;
}

/** @param onEvent called with every event */
export async function newsOf(
  root: string,
  context: ApiContext,
  onEvent: (event: RunEvent) => void,
): Promise<TreeNews> {
  let isNew = false;
  let wake = () => {};
  const hear = (event: RunEvent) => {
    onEvent(event);
    if (event.type !== 'question_asked' && (event.type !== 'run_closed' || event.run !== root)) return;
    isNew = true;
    wake();
  };
  const close = await listen(root, hear, context);
  return {
    close,
    async next() {
      if (!isNew) await new Promise<void>((resolve) => (wake = resolve));
      isNew = false;
    },
  };
}

/** How often to look at a run that another process may carry out. */
const LOOK_MS = 1_000;

/**
 * Waits for the next news about a run.
 * @throws {Problem} 409 if it has no carrier any more
 */
export async function nextOf(
  id: string,
  { seconds, signal, asking }: Patience,
  news: TreeNews,
  context: ApiContext,
): Promise<Next> {
  const last = performance.now() + 1000 * seconds;
  for (;;) {
    const next = await stateOf(await findRun(id, context), asking, context);
    const left = last - performance.now();
    if (next.kind !== 'works' || left <= 0 || signal.aborted) return next;
    const woken = new AbortController();
    const until = AbortSignal.any([signal, woken.signal]);
    void news.next().then(() => woken.abort());
    await delay(Math.min(LOOK_MS, left), undefined, { signal: until }).catch(() => {}); // it ends with the signal, too
  }
}

/**
 * The news about a run at this moment.
 * @throws {Problem} 409 if it has no carrier any more
 */
export async function stateOf(known: Run, asking: WithQuestions, context: ApiContext): Promise<Next> {
  // It also finds out whether the run has a carrier.
  const run = await untilEnded(known, 0, NEVER, context);
  if (!(await isToGoOn(run, context.environment.records))) return { kind: 'ended', run };
  const questions = await questionsOf(run.root, context);
  if (asking === 'ask' && questions.length > 0) return { kind: 'asks', run, questions };
  if (asking === 'decline') {
    await Promise.all(questions.map((question) => context.environment.decline(question)));
  }
  return { kind: 'works', run };
}

const NEVER = new AbortController().signal;

/** The open questions of a tree to people. */
export async function questionsOf(root: string, context: ApiContext): Promise<Question[]> {
  return (await openQuestions(context.environment.records, root)).map(({ question }) => question);
}
