import type { Opened } from '../../core/records/opened.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { OPEN, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import type { Turn } from '../../core/records/turn.ts';
import { callName, type CallResult } from '../../core/records/call.ts';
import type { KeptDecision } from '../../core/records/hook.ts';
import { mayAsk, type Plan } from '../../core/records/plan.ts';
import type { RunReads } from '../../core/records/ports.ts';
import type { Answer } from '../../core/records/question.ts';
import { defined } from '../../defined.ts';

/** Everything that reached the agents of a tree from outside, and what they did with it. Plain JSON. */
export interface Recording {
  /** In the order in which they were asked for, the top first. */
  runs: RecordedRun[];
}

/** One run of a recorded tree. */
export interface RecordedRun {
  run: Run;
  /** The request at the top; absent for every other run, and for one that a schedule started. */
  request?: RunRequest;
  /** Absent: it failed before its conversation began. */
  opened?: Opened;
  turns: Turn[];
  /** The results of its calls, by call: `t1c2`. Sub-agents are runs of their own. */
  results: Record<string, CallResult>;
  /** How its questions ended, approvals among them, by call. */
  answers: Record<string, Answer>;
  /** What hooks decided in it; absent: it has none. */
  decisions?: KeptDecision[];
  /** The messages in its mailbox that a person wrote. */
  ofPeople: string[];
}

/** Reads the whole tree that a run belongs to. */
export async function recordingOf(run: string, store: RunReads): Promise<Recording> {
  const tree = await store.tree(run);
  return { runs: await Promise.all(tree.map((each) => readRun(each, store))) };
}

async function readRun(run: Run, store: RunReads): Promise<RecordedRun> {
  const { id } = run;
  const [request, opened, turns, mails] = await Promise.all([
    run.parent === undefined ? store.request(id) : undefined,
    store.opened(id),
    store.turns(id),
    run.hasMail ? store.mails(id) : [],
  ]);
  const hasHooks = opened?.hooks !== undefined;
  const decisions = hasHooks ? await Promise.all(turns.map(({ number }) => store.decisions(id, number))) : [];
  const texts = hasHooks ? turns.map(({ number: turn }) => ({ run: id, turn, call: 0 })) : [];
  const ofTexts = await Promise.all(texts.map(async (at) => [callName(at), await store.answer(at)] as const));
  const calls = turns.flatMap(({ number, plans }) =>
    plans.map((plan, index) => ({ plan, at: { run: id, turn: number, call: index + 1 } })),
  );
  const of = async <T>(
    which: (plan: Plan) => boolean,
    read: (at: (typeof calls)[number]['at']) => Promise<T>,
  ) => {
    const asked = calls.filter(({ plan }) => which(plan));
    return Promise.all(asked.map(async ({ at }) => [callName(at), await read(at)] as const));
  };
  const [results, answers] = await Promise.all([
    of(
      ({ kind }) => kind === 'invoke' || kind === 'wait',
      (at) => store.callResult(at),
    ),
    of(mayAsk, (at) => store.answer(at)),
  ]);
  return {
    run,
    ...defined({ request, opened }),
    turns,
    results: present(results),
    answers: present([...answers, ...ofTexts]),
    ...(hasHooks && { decisions: decisions.flat() }),
    ofPeople: mails.filter(({ from }) => from === undefined).map((mail) => mail.id),
  };
}

function present<T>(entries: readonly (readonly [string, T | undefined])[]): Record<string, T> {
  return Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** When the model of a turn was asked, in milliseconds since 1970. */
export function askedAt({ at, latencyMs }: Pick<Turn, 'at' | 'latencyMs'>): number {
  return Date.parse(at) - latencyMs;
}

/** Whether a run had ended for the last time by then. No record says how its caller read an earlier end. */
export function isOverBy({ run, turns }: RecordedRun, time: number): boolean {
  const later = turns.some(({ at }) => Date.parse(at) > time);
  return !isIn(OPEN, run) && !later && (run.resumedAt === undefined || Date.parse(run.resumedAt) <= time);
}
