import { printable } from '../printable.ts';
import { blockLines, codeLine, rowLines } from './blocks.ts';
import { openPieces, type Piece } from './pieces.ts';
import type { TableShape } from './table.ts';

/** An answer on its way to a terminal. */
export interface ShownAnswer {
  /** @returns what this text has finished, as lines that never change again; "" for nothing */
  add(text: string): string;
  /** The text behind them, as it was written. */
  rest(): string;
  /** Nothing more comes. @returns the last lines; "" for none */
  end(): string;
}

/**
 * Shows an answer in the letters and colours of a terminal, if it is Markdown: JSON is left as it is.
 * @param label in front of its first words
 * @param width columns of a line, at the moment
 */
export function openRendered(label: string, width: () => number): ShownAnswer {
  const shown = openMarkdown(label, width);
  const asWritten = openPlain(label);
  let chosen: ShownAnswer | undefined;
  /** What has come before the first word, of which the blanks say how far that is indented. */
  let before = '';
  return {
    add(text) {
      if (chosen !== undefined) return chosen.add(text);
      before = (before + text).replace(/^\s*\n/, '');
      if (before.trim() === '') return '';
      chosen = before.trimStart().startsWith('{') ? asWritten : shown;
      return chosen.add(before);
    },
    rest: () => (chosen ?? shown).rest(),
    end: () => (chosen ?? shown).end(),
  };
}

function openMarkdown(label: string, width: () => number): ShownAnswer {
  const pieces = openPieces();
  let last: Piece | undefined;
  let shape: TableShape | undefined;

  function lines(piece: Piece): string[] {
    const isFirst = last === undefined;
    const blank = isFirst || isJoined(last, piece) ? [] : [''];
    last = piece;
    const apart = isFirst && label !== '' && piece.kind !== 'blocks' ? [label.trimEnd()] : blank;
    return [...apart, ...rendered(piece, isFirst ? label : '')];
  }

  function rendered(piece: Piece, before: string): string[] {
    switch (piece.kind) {
      case 'blocks':
        return blockLines(piece.text, width(), before);
      case 'code':
        return [codeLine(piece.line)];
      case 'rows': {
        const shown = rowLines(piece.head, piece.rows, width(), piece.isNew ? undefined : shape);
        shape = shown.shape;
        return shown.lines;
      }
    }
  }

  const text = (finished: Piece[]) =>
    finished
      .flatMap(lines)
      .map((line) => `${line}\n`)
      .join('');

  return {
    add: (more) => text(pieces.add(more)),
    rest: () => (last === undefined ? label : '') + printable(pieces.rest()),
    end: () => text(pieces.end()),
  };
}

/** Whether no empty line stands between two pieces: lines of code, rows of a table, items of a list. */
function isJoined(before: Piece | undefined, piece: Piece): boolean {
  switch (piece.kind) {
    case 'code':
      return before?.kind === 'code';
    case 'rows':
      return !piece.isNew;
    case 'blocks':
      return before?.kind === 'blocks' && !piece.isApart;
  }
}

/** Shows an answer as it is written, line by line, where a terminal has no colours. */
export function openPlain(label: string): ShownAnswer {
  let rest = label;
  return {
    add(text) {
      const end = (rest + text).lastIndexOf('\n') + 1;
      const finished = (rest + text).slice(0, end);
      rest = (rest + text).slice(end);
      return printable(finished);
    },
    rest: () => printable(rest),
    end: () => (rest === '' ? '' : `${printable(rest)}\n`),
  };
}
