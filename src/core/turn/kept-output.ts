import type { LiveBus, LiveEvent } from '../events/live.ts';
import type { CallOutput } from '../records/turn.ts';
import type { LivePorts } from './begun-answer.ts';

/** How often watchers in other processes get what there is, and how often it is looked whether there are any. */
const WRITE_MS = 500;
const LOOK_MS = 5_000;

/** The rest comes with the result. */
const MAX_OUTPUT_CHARACTERS = 16_000;

/**
 * Hands the output of calls on to those who watch from other processes: it is kept beside the draft of a run, while
 * anybody watches. Losing any of it loses nothing, since the result has it all.
 */
export function keepingOutput({ store, live, now }: LivePorts): LiveBus & {
  /** Once a call has ended: nothing is kept of it any more, so that it is not in the way of the next turn. */
  close(): Promise<void> | undefined;
} {
  /** Of the newest call of each run: a function has one at a time. */
  const calls = new Map<string, { turn: number; output: CallOutput; lookedAt: number; isWanted: boolean }>();
  let busy: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function keep(run: string): Promise<void> {
    const call = calls.get(run);
    if (call === undefined) return;
    if (now() - call.lookedAt >= LOOK_MS) {
      call.lookedAt = now();
      call.isWanted = (await store.watchedUntil(run)) > now();
    }
    if (!call.isWanted) return;
    const { turn, output } = call;
    await store.saveDraft(run, {
      turn,
      at: now(),
      messages: 0,
      pendingCalls: 0,
      text: '',
      output: { ...output },
    });
  }

  function hear({ run, turn, call, text }: Extract<LiveEvent, { type: 'call_output' }>): void {
    const known = calls.get(run);
    const isSame = known?.turn === turn && known.output.call === call;
    const { output, lookedAt, isWanted } = isSame
      ? known
      : { output: { call, length: 0, text: '' }, lookedAt: -Infinity, isWanted: false };
    const whole = output.text + text;
    const length = output.length + text.length;
    calls.set(run, {
      turn,
      output: { call, length, text: whole.slice(-MAX_OUTPUT_CHARACTERS) },
      lookedAt,
      isWanted,
    });
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (busy === undefined)
        busy = keep(run)
          .catch(() => {})
          .finally(() => (busy = undefined));
    }, WRITE_MS);
    timer.unref();
  }

  return {
    tell(event) {
      live?.tell(event);
      if (event.type === 'call_output') hear(event);
    },
    close() {
      clearTimeout(timer);
      timer = undefined;
      calls.clear();
      return busy;
    },
  };
}
