import wrapAnsi from 'wrap-ansi';
import type { RunEvent } from '../../../core/events/event.ts';
import { mostUnits } from './columns.ts';
import type { Screen } from './io.ts';
import type { Area, LiveTree } from './live-tree.ts';
import { openPlain, openRendered, type ShownAnswer } from './markdown/rendered-answer.ts';

/** The texts of agents, above the tree of a terminal while they are written. */
export interface StreamedAnswers {
  /**
   * @param speaker the name in front of the run's texts; undefined: no text begins, but one that has begun continues
   * @returns whether the event is a piece of a text, which is shown here
   */
  hear(event: RunEvent, speaker: string | undefined): boolean;
  /** Shows what of an answer has not been shown yet. */
  answer(speaker: string, text: string, turn: TurnKey): void;
  /** Whether the text of a turn stands there whole. */
  isShown(turn: TurnKey): boolean;
}

/** A turn of a run. */
export interface TurnKey {
  run: string;
  turn: number;
}

/** A text that is being written. */
interface Written extends TurnKey {
  speaker: string;
  text: string;
  shown: ShownAnswer;
}

export function openStreamedAnswers(live: LiveTree, terminal: Screen): StreamedAnswers {
  const isRich = terminal.hasColors();
  const width = () => terminal.columns - 1;
  const open = (speaker: string) => {
    const label = speaker === '' ? '' : `${speaker}: `;
    return isRich ? openRendered(label, width) : openPlain(label);
  };
  let current: Written | undefined;
  /** The turns whose whole texts are shown: answers are told again at the end. */
  const whole = new Set<string>();

  function end({ shown }: Written): void {
    current = undefined;
    live.aboveAsMade(shown.end());
  }

  function add(written: Written, text: string): void {
    written.text += text;
    const finished = written.shown.add(text);
    if (finished !== '') live.aboveAsMade(finished);
  }

  function writtenIn(at: TurnKey, speaker: string): Written {
    if (current !== undefined && keyOf(current) === keyOf(at)) return current;
    if (current !== undefined) end(current);
    current = { run: at.run, turn: at.turn, speaker, text: '', shown: open(speaker) };
    return current;
  }

  function finish(at: TurnKey, speaker: string, text: string): void {
    if (text.trim() === '') return;
    let written = writtenIn(at, speaker);
    // A model that was asked again has begun anew.
    if (!text.startsWith(written.text)) {
      end(written);
      written = writtenIn(at, speaker);
    }
    add(written, text.slice(written.text.length));
    end(written);
    whole.add(keyOf(at));
  }

  live.between((area) => (current === undefined ? [] : tail(current.shown.rest(), area)));

  return {
    hear(event, begins) {
      const speaker = begins ?? (current?.run === event.run ? current.speaker : undefined);
      if (speaker === undefined) return false;
      if (event.type === 'message_delta' && event.kind === 'text') {
        add(writtenIn(event, speaker), event.text);
        return true;
      }
      if (event.type === 'turn_finished') finish(event, speaker, event.text);
      if (current?.run !== event.run) return false;
      if (event.type === 'run_closed') end(current);
      if (event.type === 'turn_waiting') {
        end(current);
        live.above('(broken off; the model is asked again)\n');
      }
      return false;
    },
    answer(speaker, text, at) {
      if (!whole.has(keyOf(at))) finish(at, speaker, text);
      whole.delete(keyOf(at));
    },
    isShown: (at) => whole.has(keyOf(at)),
  };
}

/** As many of the last lines of a text as there is room for. */
function tail(text: string, { width, height }: Area): string[] {
  const end = text.slice(-mostUnits(width) * height);
  const lines = wrapAnsi(end, Math.max(1, width), { hard: true }).trimEnd().split('\n');
  return lines.slice(-height);
}

function keyOf({ run, turn }: TurnKey): string {
  return `${run} ${turn}`;
}
