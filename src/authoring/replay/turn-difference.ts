import type { CallKey } from '../../core/records/call.ts';
import type { Message, ToolResult } from '../../core/records/message.ts';
import { childOf } from '../../core/records/run-id.ts';
import type { Turn } from '../../core/records/turn.ts';
import {
  firstDifference,
  isSame,
  toText,
  type Aspects,
  type Difference,
  type ReplayPoint,
} from './difference.ts';
import type { RecordedStore } from './recorded-store.ts';
import { askedAt, isOverBy, type RecordedRun } from './recording.ts';

/** A turn as it is made now, with its requests then and now. */
export interface MadeAgain {
  before: readonly Message[];
  now: readonly Message[];
  turn: Turn;
}

export type TurnPoint = ReplayPoint & { turn: number };

/** Compares a turn with the recording: its model's request, and the handling of the answer. */
export function turnDifference(
  at: TurnPoint,
  recorded: RecordedRun,
  made: MadeAgain,
  world: RecordedStore,
): Difference | undefined {
  const turn = recorded.turns[at.turn - 1];
  if (turn === undefined) return undefined;
  return (
    sentDifference(at, recorded, made, world) ??
    firstDifference(at, faultsOf(turn), faultsOf(made.turn)) ??
    planDifference(at, turn, made.turn) ??
    limitDifference(at, recorded, turn, made.turn)
  );
}

function sentDifference(
  at: TurnPoint,
  recorded: RecordedRun,
  { before, now }: MadeAgain,
  world: RecordedStore,
): Difference | undefined {
  const told = before.length - (recorded.turns[at.turn - 1]?.received.length ?? 0);
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [then, current] = [before[index], now[index]];
    if (isSame(then, current)) continue;
    if (index !== told || then?.role !== 'tool' || current?.role !== 'tool') {
      const what = `message ${index + 1} to its model (${then?.role ?? current?.role})`;
      return { at, what, recorded: textOf(then), now: textOf(current) };
    }
    const call = then.results.findIndex(
      (result, which) =>
        !isSame(result, current.results[which]) &&
        isKnown({ run: at.run, turn: at.turn - 1, call: which + 1 }, recorded, world),
    );
    if (call < 0) continue;
    return {
      at: { ...at, turn: at.turn - 1, call: call + 1 },
      what: `the result of ${then.results[call]?.name}`,
      recorded: resultText(then.results[call]),
      now: resultText(current.results[call]),
    };
  }
  return undefined;
}

/**
 * Whether the record has the result of a call. A result that only the machine knew, or that a sub-agent gave before it
 * was woken once more, stands only in the model's messages.
 */
function isKnown({ run, turn, call }: CallKey, recorded: RecordedRun, world: RecordedStore): boolean {
  const plan = recorded.turns[turn - 1]?.plans[call - 1];
  const next = recorded.turns[turn];
  if (plan?.kind !== 'delegate' || next === undefined) return true;
  const child = world.run(childOf({ id: run, path: recorded.run.path }, turn, call, plan.agent).id);
  return child !== undefined && isOverBy(child, askedAt(next));
}

function faultsOf({ faults }: Turn): Aspects {
  return { 'what is wrong with the answer': faults?.join('\n') };
}

function planDifference(at: ReplayPoint, then: Turn, now: Turn): Difference | undefined {
  for (const [index, call] of then.answer.calls.entries()) {
    const [before, current] = [then.plans[index], now.plans[index]];
    if (isSame(before, current)) continue;
    return {
      at: { ...at, call: index + 1 },
      what: `what is done about the call of ${call.name}`,
      recorded: toText(before),
      now: toText(current),
    };
  }
  return undefined;
}

/** The limits of one conversation; those of the tree count as they were recorded. */
function limitDifference(
  at: ReplayPoint,
  { opened }: RecordedRun,
  then: Turn,
  now: Turn,
): Difference | undefined {
  const mayBeOfTree = now.exceeded === undefined && opened?.budget !== undefined;
  if (then.exceeded === now.exceeded || mayBeOfTree) return undefined;
  const goesOn = 'it goes on after this turn';
  return {
    at,
    what: 'whether it goes on',
    recorded: then.exceeded ?? goesOn,
    now: now.exceeded ?? goesOn,
  };
}

function textOf(message: Message | undefined): string {
  const isText = message?.role === 'user' && message.attachments === undefined;
  return isText ? message.text : toText(message);
}

function resultText(result: ToolResult | undefined): string {
  if (result === undefined) return '';
  const { text, isError, spawned } = result;
  return [isError ? `(error) ${text}` : text, ...(spawned === undefined ? [] : [toText(spawned)])].join('\n');
}
