import { isHooked } from '../records/plan.ts';
import type { Opened } from '../records/opened.ts';
import { carriedSince } from '../records/run.ts';
import { offTreeClock } from '../records/times.ts';
import type { Turn } from '../records/turn.ts';
import type { Planned } from '../steps/kind.ts';
import type { Outcome } from '../steps/outcome.ts';
import { nextPass, type Pass } from '../steps/passes.ts';
import type { Loaded } from './load-turn.ts';
import type { TurnInput } from './turn-input.ts';
import type { TurnOutput } from './turn.ts';
import { isLookedAt, lookAt } from './withheld-text.ts';

/** The turns of a conversation with hooks. */
interface HookedTurn {
  /**
   * What is left of a turn that was made before the model is asked again: hooks are to be asked about its text, or calls
   * are to be made; or the turn itself, once they have been asked. Undefined: nothing is.
   * @param hasAnswered whether there is an answer, so that no calls are left
   */
  left(hasAnswered: boolean): Promise<TurnOutput | { turn: Turn } | undefined>;
  /**
   * Keeps a turn apart that was just made.
   * @returns what comes next; the turn itself, where hooks have decided about it; undefined if they are not asked
   */
  made(turn: Turn): Promise<TurnOutput | { turn: Turn } | undefined>;
  /** The first steps for the calls of a turn; undefined if hooks are not asked about any. */
  act(turn: Turn): Promise<Pick<Pass, 'waves'>> | undefined;
}

export function hookedTurn({
  opened,
  turns,
  loaded,
  input,
  planned,
}: {
  opened: Opened;
  turns: readonly Turn[];
  loaded: Loaded;
  input: TurnInput;
  planned: Omit<Planned, 'call' | 'hooks' | 'previewBytes' | 'tool' | 'turn'>;
}): HookedTurn {
  const { run, store } = planned;
  const { output } = opened;

  async function pass(
    turn: Turn,
    outcomes: readonly Outcome[],
    isRepeated: boolean,
  ): Promise<Pass | undefined> {
    const { hooks } = opened;
    return nextPass(turn, outcomes, {
      ...planned,
      turn: turn.number,
      hooks,
      tools: loaded.tools,
      isRepeated,
    });
  }

  async function look(number: number): Promise<TurnOutput | { turn: Turn } | undefined> {
    const check = (answer: Turn['answer']) => output && loaded.output?.checkAnswer(answer, output.schema);
    const found = await lookAt(number, { opened, outcomes: input.outcomes, planned, check });
    if (found === undefined) return undefined;
    if ('turn' in found) return { turn: { ...found.turn, ...shownLate(found.turn, planned) } };
    const { step } = found;
    const waves = [{ concurrency: 1, kind: step.kind, steps: [step] }];
    return { next: 'act', run: run.id, turn: number, waves };
  }

  return {
    async left(hasAnswered) {
      const looked = await look(turns.length + 1);
      const newest = turns.at(-1);
      if (looked !== undefined || newest === undefined || hasAnswered) return looked;
      if (newest.number + 1 !== input.turn || !newest.plans.some(isHooked)) return undefined;
      const next = await pass(newest, input.outcomes, true);
      return next && { next: 'act', run: run.id, turn: newest.number, ...next };
    },
    async made(turn) {
      if (!isLookedAt(turn, opened)) return undefined;
      await store.withholdTurn(run.id, turn);
      return look(turn.number);
    },
    act(turn) {
      if (!turn.plans.some(isHooked)) return undefined;
      return pass(turn, [], planned.isRepeated).then((first) => first ?? { waves: [] });
    },
  };
}

/** Whether a turn was made before its run went on: those who followed that to its rest have not been told of it. */
function shownLate(
  turn: Turn,
  { run, now, paused }: Pick<Planned, 'now' | 'paused' | 'run'>,
): Pick<Turn, 'shownAt'> {
  const isLate = Date.parse(turn.at) < carriedSince(run);
  return isLate ? { shownAt: new Date(offTreeClock(now, paused)).toISOString() } : {};
}
