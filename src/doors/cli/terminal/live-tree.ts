import { styleText } from 'node:util';
import { shownTree } from '../../../core/reports/shown-tree.ts';
import type { RunReader } from '../../../core/records/ports.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import { keptRow, rowAfter, type LiveRow } from './live-row.ts';
import { printable } from './printable.ts';
import { treeText, type ShownStatus, type TreeRow, type TreeStyle } from './tree-text.ts';
import type { Screen } from './io.ts';

/** Draws the tree of agents while it works, on a terminal. */
export interface LiveTree {
  /** @param at when it happened, in milliseconds since 1970; now if left out */
  emit(event: RunEvent, at?: number): void;
  /** Writes a text above everything that is redrawn; it stays there. */
  above(text: string): void;
  /** Draws this below the tree from now on, or nothing. */
  below(picture: ((area: Area) => string[]) | undefined): void;
  /** Leaves the whole tree, as it is kept, in place of the last picture and gives the terminal back. */
  close(): Promise<void>;
}

/** Columns and lines, at most. */
export interface Area {
  width: number;
  height: number;
}

const FRAME_MS = 100;

/** Lines that are kept for the tree, however long the text below it is. */
const LEAST_TREE = 3;

const COLOURS: Record<ShownStatus, Parameters<typeof styleText>[0]> = {
  running: 'cyan',
  idle: 'blue',
  waiting: 'yellow',
  succeeded: 'green',
  budget_exceeded: 'yellow',
  failed: 'red',
  timed_out: 'red',
  stopped: 'magenta',
  killed: 'magenta',
  interrupted: 'yellow',
};

/**
 * @param stream a terminal: cursor movements are written to it, and colours unless NO_COLOR is set
 * @param records where the runs are that it is told of
 */
export async function openLiveTree(
  stream: Screen,
  records: Pick<RunReader, 'isCarriedOut' | 'run' | 'tree' | 'turns'>,
): Promise<LiveTree> {
  const { createLogUpdate } = await import('log-update');
  const screen = createLogUpdate(stream);
  const roots = new Set<string>();
  const rows = new Map<string, LiveRow>();
  let drawn = '';
  const isColoured = stream.hasColors();
  let footer: ((area: Area) => string[]) | undefined;
  // A column stays free: terminals differ on how wide some characters are.
  const width = () => stream.columns - 1;
  const picture = (shown: Iterable<TreeRow>, style: Partial<TreeStyle> = {}) =>
    treeText([...shown], {
      now: Date.now(),
      width: width(),
      ...(isColoured && {
        paint: (text, status) => styleText(COLOURS[status], text, { validateStream: false }),
      }),
      ...style,
    });
  const clear = () => {
    screen.clear();
    drawn = '';
  };
  const draw = () => {
    // The last line is the cursor's.
    const height = stream.rows - 1;
    const below = footer?.({ width: width(), height: height - Math.min(rows.size, LEAST_TREE) }) ?? [];
    const tree =
      rows.size === 0 ? [] : picture(rows.values(), { height: Math.max(1, height - below.length) });
    const text = [...tree, ...below].join('\n');
    if (text === drawn) return;
    // log-update 7 writes over lines that others are inserted above, unless it begins anew. 8 needs Node.js 22.
    stream.cork();
    clear();
    if (text !== '') screen(text);
    stream.uncork();
    drawn = text;
  };
  const timer = setInterval(draw, FRAME_MS).unref();

  return {
    emit(event, at = Date.now()) {
      roots.add(event.root);
      const row = rowAfter(rows.get(event.run), event, at);
      if (row !== undefined) rows.set(event.run, row);
    },
    above(text) {
      clear();
      stream.write(printable(text));
      draw();
    },
    below(next) {
      footer = next;
      draw();
    },
    async close() {
      clearInterval(timer);
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

async function keptRows(
  root: string,
  records: Pick<RunReader, 'isCarriedOut' | 'run' | 'tree' | 'turns'>,
): Promise<TreeRow[]> {
  const top = await records.run(root);
  return top === undefined ? [] : (await shownTree(top, records)).map(keptRow);
}
