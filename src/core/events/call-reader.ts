import { changesText, denialText, isApproved } from '../records/approval.ts';
import type { CallKey } from '../records/call.ts';
import { resultsIn, type ToolCall } from '../records/message.ts';
import { isHooked, mayAsk, type DelegationLimits, type Plan } from '../records/plan.ts';
import type { Answer } from '../records/question.ts';
import { readOnly } from '../records/read-only.ts';
import type { RunReads } from '../records/ports.ts';
import { ENDED, UNDER_WAY, isIn } from '../records/phase.ts';
import { durationOf, isAhead, type Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { Turn } from '../records/turn.ts';
import { answerText } from '../steps/ask.ts';
import { ofKind } from '../steps/kinds.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { readQuestion } from './read-question.ts';
import type { CallEnd, TurnRecords } from './records.ts';

/** A run whose calls are read. */
export interface ReadRun {
  run: Run;
  turns: readonly TurnRecords[];
  /** Undefined until it has been opened. */
  limits: DelegationLimits | undefined;
}

/**
 * Reads the progress of a turn's calls into its records.
 * @param tree the newest record of each run
 * @returns a function that reads the calls of the turn at an index, and says whether anything is new
 */
export function createCallReader(
  store: RunReads,
  tools: LoadOwnTools,
  now: () => Instant,
  tree: ReadonlyMap<string, Run>,
): (of: ReadRun, index: number) => Promise<boolean> {
  const reading = readOnly({ ...store, run: async (id) => tree.get(id) ?? store.run(id) });

  /** @returns whether any call has ended, or anything was asked or answered because of one */
  async function readCalls(kept: ReadRun, index: number): Promise<boolean> {
    const made = kept.turns[index];
    if (made === undefined) return false;
    const { begins, ends, turn } = made;
    const found = await Promise.all(
      turn.answer.calls.map(async (call, at) => {
        if (ends[at] !== undefined) return false;
        const { isNew, answer } = await findQuestion(kept.run, made, at);
        const received = endAsReceived(kept.turns[index + 1]?.turn, at);
        const own = await ownEnd(kept, made, call, at, { received, answer });
        // A result that came after the model had been told another one was told to nobody.
        const isTooLate =
          own !== undefined && received !== undefined && own.at > received.at && own.text !== received.text;
        ends[at] = isTooLate ? received : (own ?? received);
        const hadBegun = begins[at] !== undefined;
        if (!hadBegun) {
          const begin = own === undefined ? await beginOf(kept.run, made, at) : own.at - own.durationMs;
          // It may have been begun once more since.
          begins[at] = begin && Math.min(begin, ends[at]?.at ?? begin);
        }
        return isNew || hadBegun !== (begins[at] !== undefined) || ends[at] !== undefined;
      }),
    );
    return found.includes(true);
  }

  /** @returns whether there is news of a question to a person because of a call, and the answer */
  async function findQuestion(
    { id: run }: Run,
    made: TurnRecords,
    index: number,
  ): Promise<{ isNew: boolean; answer: Answer | undefined }> {
    const plan = made.turn.plans[index];
    if (plan === undefined || !mayAsk(plan)) return { isNew: false, answer: undefined };
    const at = { run, turn: made.turn.number, call: index + 1 };
    const known = made.questions[index];
    // Read alone: a watcher ends no question.
    const { question, answer } = await readQuestion(at, known?.question, store);
    if (question !== undefined) made.questions[index] = { question, answer };
    const isNew = question !== undefined && (known === undefined || answer !== undefined);
    return { isNew, answer };
  }

  /** When a call of a function began that has no result of its own. */
  async function beginOf(
    { id: run }: Run,
    { turn, ends }: TurnRecords,
    index: number,
  ): Promise<number | undefined> {
    const mark = await store.callMark({ run, turn: turn.number, call: index + 1 });
    return mark?.at ?? (ends[index] === undefined ? undefined : Date.parse(turn.at));
  }

  /** How a call of a function ended, whose result is kept. */
  async function keptEnd(at: CallKey): Promise<CallEnd | undefined> {
    const kept = await store.callResult(at);
    return kept && { ...kept, at: Date.parse(kept.startedAt) + kept.durationMs };
  }

  /**
   * How a call ended, from its own record or that of its sub-agent.
   * @param received as in what the model was told next, if it was told
   * @param answer of a person who was asked because of it
   */
  async function ownEnd(
    { run, limits }: ReadRun,
    { turn, children }: TurnRecords,
    call: ToolCall,
    index: number,
    { received, answer }: { received: CallEnd | undefined; answer: Answer | undefined },
  ): Promise<CallEnd | undefined> {
    const plan = turn.plans[index];
    if (plan === undefined || limits === undefined) return undefined;
    const at = { run: run.id, turn: turn.number, call: index + 1 };
    let changes = '';
    let since = Date.parse(turn.at);
    // The caller's next turn has what hooks make of the result of a call that is carried out elsewhere.
    if (isHooked(plan) && plan.kind !== 'invoke') return undefined;
    if (mayAsk(plan)) {
      if (answer === undefined) return isHooked(plan) ? keptEnd(at) : undefined;
      const endedAt = Date.parse(answer.at);
      const ended = { at: endedAt, durationMs: endedAt - since };
      since = endedAt;
      if (plan.kind === 'ask') return { text: answerText(answer), isError: false, ...ended };
      if (!isApproved(answer)) {
        const text = denialText(call.name, answer);
        return { text, isError: true, failure: 'permission_denied', ...ended };
      }
      if (answer.arguments !== undefined) changes = changesText(call.arguments, answer.arguments);
    }
    const isCarriedOut = plan.kind === 'invoke' || plan.kind === 'wait';
    if (isCarriedOut) return keptEnd(at);
    // The record of a fork may come long after its caller has continued, and after this was told.
    if (plan.kind === 'start' && received !== undefined) return { ...received, at: since };
    const started = children[index];
    const child = started === undefined ? undefined : tree.get(started);
    // Whether it could be started at all is known once it has been opened, or closed without that.
    const isBegun = child !== undefined && !(isAhead(child) && isIn(UNDER_WAY, child)) && !isLate(child, run);
    const isOver = plan.kind === 'start' ? isBegun : child !== undefined && isIn(ENDED, child);
    if (started !== undefined && !isOver) return undefined;
    const ended = {
      ...at,
      run,
      limits,
      store: reading,
      tools: await tools([call.name]),
      outcome: undefined,
      now: now(),
    };
    const result = await ofKind(plan).toResult(call, ended);
    const text = `${changes}${result.text}`;
    const { isError } = result;
    if (plan.kind === 'start' || child === undefined) return { text, isError, at: since, durationMs: 0 };
    const endedAt = Date.parse(child.endedAt ?? turn.at);
    return { text, isError, at: endedAt, durationMs: durationOf(child, endedAt) };
  }

  return readCalls;
}

/** Whether a fork began after its maker had ended, which has not gone on: nobody is told of the end of that call. */
function isLate(fork: Run, maker: Run): boolean {
  return !isIn(UNDER_WAY, maker) && fork.startedAt > (maker.endedAt ?? fork.startedAt);
}

/** Calls that left no record have a result only in what the model was told next. */
function endAsReceived(next: Turn | undefined, index: number): CallEnd | undefined {
  const result = next && resultsIn(next.received)[index];
  if (next === undefined || result === undefined) return undefined;
  const { text, isError } = result;
  return { text, isError, at: Date.parse(next.at) - next.latencyMs, durationMs: 0 };
}

/** Whether a call begins when the function does that carries it out. Others have begun with their turn. */
export function beginsLater(plan: Plan | undefined): boolean {
  return plan?.kind === 'invoke' && !mayAsk(plan);
}
