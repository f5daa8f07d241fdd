import wrapAnsi from 'wrap-ansi';
import { shownTree, type ShownTreeReader } from '../../../core/reports/shown-tree.ts';
import type { RunReader } from '../../../core/records/ports.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import { PHASES, type PhaseLook } from '../../../core/reports/words/phase-words.ts';
import { keptRow, rowAfter, type LiveRow } from './live-row.ts';
import { printable } from './printable.ts';
import { styled } from './styled.ts';
import { treeText, type TreeRow, type TreeStyle } from './tree-text.ts';
import type { Screen } from './io.ts';

/** Draws the tree of agents while it works, on a terminal. */
export interface LiveTree {
  /** @param at when it happened, in milliseconds since 1970; now if left out */
  emit(event: RunEvent, at?: number): void;
  /** Writes a text above everything that is redrawn; it stays there. */
  above(text: string): void;
  /** The same with lines that were made for this terminal: hidden characters are replaced, and the colours are ours. */
  aboveAsMade(lines: string): void;
  /** Draws this between the texts above and the tree from now on. */
  between(picture: (area: Area) => string[]): void;
  /** Draws this below the tree from now on, or nothing. */
  below(picture: ((area: Area) => string[]) | undefined): void;
  /** Leaves the terminal to another program until the work is done: text written in the meantime follows after it. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** Replaces the last picture with the whole stored tree, and releases the terminal. */
  close(): Promise<void>;
}

/** Columns and lines, at most. */
export interface Area {
  width: number;
  height: number;
}

const FRAME_MS = 100;

/** Lines that are kept for the tree, however long the texts around it are. */
const LEAST_TREE = 3;

/** The colours of the page's tones, as far as terminals have them. */
const COLOURS: Readonly<Record<PhaseLook['tone'], Parameters<typeof styled>[0]>> = {
  work: 'cyan',
  attention: 'yellow',
  good: 'green',
  bad: 'red',
  quiet: 'magenta',
};

/**
 * @param stream a terminal: cursor movements are written to it, and colours unless NO_COLOR is set
 * @param records where the runs are that it is told of
 */
export async function openLiveTree(
  stream: Screen,
  records: ShownTreeReader & Pick<RunReader, 'run'>,
): Promise<LiveTree> {
  const { createLogUpdate } = await import('log-update');
  const screen = createLogUpdate(stream);
  const roots = new Set<string>();
  const rows = new Map<string, LiveRow>();
  let drawn = '';
  const isColoured = stream.hasColors();
  let begun: ((area: Area) => string[]) | undefined;
  let footer: ((area: Area) => string[]) | undefined;
  /** The texts that came while another program has the terminal. */
  let held: string[] | undefined;
  // A column stays free: terminals differ on how wide some characters are.
  const width = () => stream.columns - 1;
  const picture = (shown: Iterable<TreeRow>, style: Partial<TreeStyle> = {}) =>
    treeText([...shown], {
      now: Date.now(),
      width: width(),
      ...(isColoured && { paint: (text, status) => styled(COLOURS[PHASES[status].tone], text) }),
      ...style,
    });
  const clear = () => {
    // A narrower terminal has broken the lines that were drawn into more.
    const broken = rowsOf(drawn, stream.columns) - drawn.split('\n').length;
    screen.clear();
    if (broken > 0) stream.write('\u001b[1A\u001b[2K'.repeat(broken));
    drawn = '';
  };
  const draw = () => {
    if (held !== undefined) return;
    // The last line is the cursor's.
    const height = stream.rows - 1;
    const ofTree = Math.min(rows.size, LEAST_TREE);
    const below = footer?.({ width: width(), height: height - ofTree }) ?? [];
    const room = height - below.length;
    const above = begun?.({ width: width(), height: Math.max(1, Math.floor((room - ofTree) / 2)) }) ?? [];
    const tree = rows.size === 0 ? [] : picture(rows.values(), { height: Math.max(1, room - above.length) });
    const text = [...above, ...tree, ...below].join('\n');
    if (text === drawn) return;
    // log-update 7 overwrites lines above which others are inserted, unless it begins anew. Version 8 needs Node.js 22.
    stream.cork();
    clear();
    if (text !== '') screen(text);
    stream.uncork();
    drawn = text;
  };
  const write = (text: string) => {
    if (held !== undefined) return void held.push(text);
    stream.cork();
    clear();
    stream.write(text);
    draw();
    stream.uncork();
  };
  const timer = setInterval(draw, FRAME_MS).unref();
  stream.on('resize', draw);

  return {
    emit(event, at = Date.now()) {
      roots.add(event.root);
      const row = rowAfter(rows.get(event.run), event, at);
      if (row !== undefined) rows.set(event.run, row);
    },
    above: (text) => write(printable(text)),
    aboveAsMade: write,
    between(next) {
      begun = next;
    },
    below(next) {
      footer = next;
      draw();
    },
    async aside(work) {
      clear();
      screen.done();
      held = [];
      try {
        return await work();
      } finally {
        const texts = held;
        held = undefined;
        write(texts.join(''));
      }
    },
    async close() {
      clearInterval(timer);
      stream.off('resize', draw);
      try {
        // Not all of it need have been told: work before it was resumed was not.
        const tree = (await Promise.all([...roots].map((root) => keptRows(root, records)))).flat();
        clear();
        if (tree.length > 0) stream.write(`${picture(tree).join('\n')}\n`);
      } finally {
        screen.done();
      }
    },
  };
}

/** The lines of a terminal that a text takes, now that it has these columns. */
function rowsOf(text: string, columns: number): number {
  return wrapAnsi(text, Math.max(1, columns), { hard: true, wordWrap: false, trim: false }).split('\n')
    .length;
}

async function keptRows(root: string, records: ShownTreeReader & Pick<RunReader, 'run'>): Promise<TreeRow[]> {
  const top = await records.run(root);
  return top === undefined ? [] : (await shownTree(top, records)).map(keptRow);
}
