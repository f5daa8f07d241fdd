import { hasBegunAgain } from '../../src/core/lifecycle/ended-caller.ts';
import { isIn, DEAD } from '../../src/core/records/phase.ts';
import { isAnswer } from '../../src/core/records/turn.ts';
import { resultsIn } from '../../src/core/records/message.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Law, Written } from './law.ts';

const nameOf = (run: string, turn: number) => `${run} ${turn}`;

/** A function that is called once a turn is stored asks for a later one. */
export function storedTurnsStand({ before, turns }: Written): Law {
  /** Turns behind which messages were passed over. A function that has seen that may stand still, and go on much later. */
  const passed = new Set<string>();
  return {
    says: 'no stored turn is asked for again',
    onRun(_before, { id, passedOver }) {
      if (passedOver !== undefined) passed.add(nameOf(id, passedOver.turn));
      return [];
    },
    onAsked({ run, by, request }) {
      const newest = turns(run)[before(by).turns - 1];
      if (newest === undefined || newest.answer.text === '' || newest.denied !== undefined) return [];
      // Another function may have stored one since this one was called, which it has found. Denied texts are all the
      // same.
      const sent = turns(run).findLast(
        ({ answer: { text }, denied }) =>
          denied === undefined &&
          request.messages.some((message) => message.role === 'assistant' && message.text === text),
      );
      if (sent === undefined || sent.number < newest.number)
        return [`${run} was asked again for turn ${newest.number}, which was stored`];
      // It was called to make an existing turn: the calls of that turn come first, unless its answer is an earlier one.
      return sent.number < before(by).turn || isAnswer(sent) || passed.has(nameOf(run, sent.number))
        ? []
        : [`${run} was asked for more than turn ${sent.number}, whose calls are not made`];
    },
  };
}

/** The steps of one call: for hooks before it, a person, its own, for hooks after it; each may make others wait. */
const MOST_STEPS = 6;

/** The machine takes no step of a call again and again. */
export const CALLS_COME_TO_AN_END: Law = {
  says: 'the steps of a call come to an end',
  onBegun({ run, turn, outcomes }) {
    if (outcomes.length <= MOST_STEPS) return [];
    const steps = new Map<number, number>();
    for (const { call } of outcomes) steps.set(call, (steps.get(call) ?? 0) + 1);
    return [...steps]
      .filter(([, taken]) => taken > MOST_STEPS * steps.size)
      .map(([call, taken]) => `${taken} steps were taken for call ${call} before turn ${turn} of ${run}`);
  },
};

/** Nobody dead begins anything. */
export function theDeadRest({ before }: Written): Law {
  const isDead = (by: Parameters<Written['before']>[0]) => {
    const { run, holder } = before(by);
    return run !== undefined && isIn(DEAD, run) && run.holder >= holder;
  };
  return {
    says: 'nobody dead begins anything',
    onAsked: ({ run, by }) => (isDead(by) ? [`the model of ${run} was asked after its end`] : []),
    onDeed: (by, name) => (isDead(by) ? [`${name} was called for ${by.run} after its end`] : []),
  };
}

/** Nothing is begun for an agent that was ended before. */
export function nothingBelowTheDead({ runs }: Written): Law {
  const late = new Set<string>();
  const hasDeadCaller = (run: Run | undefined) => {
    const caller = runs.get(run?.parent?.run ?? '');
    // A caller that was redriven is dead by its record until the first step of its run.
    return run !== undefined && caller !== undefined && isIn(DEAD, caller) && !hasBegunAgain(caller, run);
  };
  return {
    says: 'nothing is begun for an agent that has ended',
    onRun(before, after) {
      if (!hasDeadCaller(after)) late.delete(after.id);
      else if (before === undefined) late.add(after.id);
      return [];
    },
    onAsked: ({ run }) =>
      late.has(run) && runs.get(run)?.isForPerson !== true && hasDeadCaller(runs.get(run))
        ? [`the model of ${run} was asked below its dead caller`]
        : [],
  };
}

/** The results that a model reads are those of its calls, in their order, and each comes from its own sub-agent. */
export function resultsInOrder({ runs, turns }: Written): Law {
  /** By the turn that called them. */
  const below = new Map<string, Set<string>>();
  return {
    says: "results come in the order of their calls, and are their own sub-agents'",
    onRun(before, { id, parent }) {
      if (before !== undefined || parent === undefined) return [];
      const name = nameOf(parent.run, parent.turn);
      below.set(name, (below.get(name) ?? new Set()).add(id));
      return [];
    },
    onAsked({ run, request: { messages } }) {
      const at = messages.findLastIndex(({ role }) => role === 'assistant');
      const asked = messages[at];
      if (asked?.role !== 'assistant' || asked.calls.length === 0) return [];
      const results = resultsIn(messages.slice(at + 1));
      const ids = results.map(({ callId }) => callId);
      const expected = asked.calls.map(({ id }) => id);
      if (ids.join() !== expected.join())
        return [`${run} was told ${ids.join()} for its calls ${expected.join()}`];
      // By the calls: texts that were denied are all the same.
      const turn = turns(run).find(({ answer }) => answer.calls[0]?.id === expected[0]);
      if (turn === undefined) return [];
      const children = [...(below.get(nameOf(run, turn.number)) ?? [])].flatMap((id) => runs.get(id) ?? []);
      return children.flatMap((child) => {
        const result = results[(child.parent?.call ?? 0) - 1];
        if (
          result === undefined ||
          result.name !== 'call_agent' ||
          result.isError ||
          child.status !== 'succeeded'
        )
          return [];
        const answers = turns(child.id).map(({ answer }) => answer.text);
        return answers.some((answer) => answer !== '' && result.text.includes(answer))
          ? []
          : [`the result of ${child.id} for ${run} is none of its answers: ${result.text.slice(0, 80)}`];
      });
    },
  };
}
