import { MAX_TURNS } from '../../core/turn/turn.ts';
import { COSTS, GATE, MAX_PLANNED_EVENTS, sum, times, type Cost } from '../../core/machine/costs.ts';
import { DELEGATE } from '../../core/steps/delegate.ts';
import { INVOKE_TOOL } from '../../core/steps/invoke.ts';
import { MAX_CALLS_PER_TURN } from '../../core/tool-contracts/plan-calls.ts';
import { dollarsOf } from './dollars.ts';
import type { ReachableConversation } from './reachable.ts';
import type { PlannedConversation, Use } from './use.ts';

/** The behaviour of conversations within their possibilities. */
export interface Behaviour {
  /** How often it calls each of its callable sub-agents. @param uses of those sub-agents, in order */
  calls(place: ReachableConversation, uses: readonly Use[]): number[];
  /** @param calls of sub-agents */
  conversation(place: ReachableConversation, calls: number): PlannedConversation;
  /** The agents that its largest turn calls. */
  largestTurn(place: ReachableConversation): string[];
}

/** How often an agent with tools is taken to use one of them: once a turn. */
export const EXPECTED_TOOL_CALLS = 10;

/**
 * An agent calls each that it can call once, in its first turn, and then works with its tools. A derived agent does the
 * work itself; a computed conversation has as many subtasks as there can be, one after another.
 */
export const expectedly: Behaviour = {
  calls({ callable, derivedBy, isComputed, mostCalls }) {
    if (isComputed) return [mostCalls];
    return callable.map((_, index) => (derivedBy === undefined && index < mostCalls ? 1 : 0));
  },
  conversation(place, calls) {
    const { depth, hasTools, isComputed, isResident, mostCalls } = place;
    const toolCalls = hasTools && !isComputed ? Math.min(EXPECTED_TOOL_CALLS, mostCalls - calls) : 0;
    // An idle agent that made a fork hears of the fork's answer and takes one more turn.
    const woken = isResident && calls > 0 ? 1 : 0;
    return {
      turns: 1 + toolCalls + (isComputed ? calls : Math.min(calls, 1)) + woken,
      rests: isResident ? 1 + woken : 0,
      calls,
      failed: 0,
      toolCalls,
      approvals: approvalsOf(place, calls, toolCalls),
      isTop: depth === 0 && !isComputed,
      hasLargeTexts: false,
    };
  },
  largestTurn: ({ callable }) => callable.map(({ place }) => place.agent),
};

/**
 * An agent that is offered no tool answers at once, and once more if its answer does not match its schema. One that can
 * call others calls the dearest of them as often as it may and the history of its execution has room for, and all of
 * them fail; one that cannot makes calls of tools instead.
 */
export const mostly: Behaviour = {
  calls({ isResident, mostCalls, needsApproval }, uses) {
    const dollars = uses.map((use) => dollarsOf(use).total);
    const dearest = dollars.indexOf(Math.max(...dollars));
    const calls = Math.min(roomFor(DELEGATE.costs.failed, needsApproval.derived, isResident), mostCalls);
    return uses.map((_, index) => (index === dearest ? calls : 0));
  },
  conversation(place, calls) {
    const { depth, hasTools, isComputed, isOfferedAny, isResident, isStructured, mostCalls, needsApproval } =
      place;
    const makesCalls = hasTools && calls === 0;
    const room = roomFor(INVOKE_TOOL.costs.answered, needsApproval.tools, isResident);
    const toolCalls = makesCalls ? Math.min(room, mostCalls) : 0;
    const answers = isStructured ? 2 : 1;
    const turns = isOfferedAny ? Math.min(MAX_TURNS, mostCalls + answers) : answers;
    return {
      turns,
      rests: isResident ? turns : 0,
      calls,
      failed: calls,
      toolCalls,
      approvals: approvalsOf(place, calls, toolCalls),
      isMixed: true,
      isTop: depth === 0 && !isComputed,
      hasLargeTexts: true,
    };
  },
  largestTurn({ callable }) {
    const names = callable.map(({ place }) => place.agent);
    const [longest] = names.sort((one, other) => other.length - one.length);
    return longest === undefined ? [] : Array.from({ length: MAX_CALLS_PER_TURN }, () => longest);
  },
};

/** Every call that a person may have to approve is taken to be asked about, as if nothing were always approved. */
function approvalsOf(
  { needsApproval: { tools, derived } }: ReachableConversation,
  calls: number,
  toolCalls: number,
): number {
  return (derived ? calls : 0) + (tools ? toolCalls : 0);
}

/** How many calls the history of an execution has room for, each with these events. */
function roomFor(call: Cost, needsApproval: boolean, isResident: boolean): number {
  const { events } = needsApproval ? sum(GATE, call) : call;
  const turn = sum(COSTS.acting, COSTS.wave);
  const rests = times(isResident ? MAX_TURNS : 0, COSTS.idling);
  const turns = sum(COSTS.opening, times(MAX_TURNS - 1, turn), rests, COSTS.answering);
  return Math.floor((MAX_PLANNED_EVENTS - turns.events) / events);
}
