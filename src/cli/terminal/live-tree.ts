import { styleText } from 'node:util';
import type { CallIdentity, RunEvent } from '../../runs/event.ts';
import { NO_USAGE, type Usage } from '../../runs/run.ts';
import type { Note } from './columns.ts';
import { seconds } from './figures.ts';
import { printable } from './printable.ts';
import { toolCall } from './tool-call.ts';
import { treeText, type ShownStatus, type TreeRow, type TreeStyle } from './tree-text.ts';

/** Draws the tree of agents while it works, on a terminal. */
export interface LiveTree {
  emit(event: RunEvent): void;
  /** Writes a text above everything that is redrawn; it stays there. */
  above(text: string): void;
  /** Draws this below the tree from now on, or nothing. */
  below(picture: ((area: Area) => string[]) | undefined): void;
  /** Leaves the whole tree in place of the last picture and gives the terminal back. */
  close(): void;
}

/** Columns and lines, at most. */
export interface Area {
  width: number;
  height: number;
}

const FRAME_MS = 100;

/** Lines that are kept for the tree, however long what stands below it is. */
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

/** @param stream a terminal: cursor movements are written to it, and colours unless NO_COLOR is set */
export async function openLiveTree(stream: NodeJS.WriteStream): Promise<LiveTree> {
  const { createLogUpdate } = await import('log-update');
  const screen = createLogUpdate(stream);
  const rows = new Map<string, LiveRow>();
  const isColoured = stream.isTTY && stream.hasColors();
  let footer: ((area: Area) => string[]) | undefined;
  // A column stays free: terminals differ on how wide some characters are.
  const width = () => stream.columns - 1;
  const picture = (style: Partial<TreeStyle> = {}) =>
    treeText([...rows.values()], {
      now: Date.now(),
      width: width(),
      ...(isColoured && {
        paint: (text, status) => styleText(COLOURS[status], text, { validateStream: false }),
      }),
      ...style,
    });
  const draw = () => {
    // The last line is the cursor's.
    const height = stream.rows - 1;
    const below = footer?.({ width: width(), height: height - Math.min(rows.size, LEAST_TREE) }) ?? [];
    const tree = rows.size === 0 ? [] : picture({ height: Math.max(1, height - below.length) });
    if (tree.length + below.length > 0) screen([...tree, ...below].join('\n'));
    else screen.clear();
  };
  const timer = setInterval(draw, FRAME_MS).unref();

  return {
    emit(event) {
      const row = follow(rows.get(event.run), event);
      if (row !== undefined) rows.set(event.run, row);
    },
    above(text) {
      screen.clear();
      stream.write(printable(text));
      draw();
    },
    below(next) {
      footer = next;
      draw();
    },
    close() {
      clearInterval(timer);
      screen.clear();
      if (rows.size > 0) stream.write(`${picture().join('\n')}\n`);
      screen.done();
    },
  };
}

/** The note is the task, unless there is something to say that matters more. */
type LiveRow = TreeRow & { task: string; note: Note; calls: readonly CallIdentity[] };

/** Somebody has written to it, or it was resumed. */
function atWork({ endedAt: _endedAt, failure: _failure, ...row }: LiveRow): LiveRow {
  return { ...row, status: 'running' };
}

/** What is known of a run after an event in it; undefined while it is not known. */
function follow(row: LiveRow | undefined, event: RunEvent): LiveRow | undefined {
  if (event.type === 'run_opened' && row !== undefined) return { ...atWork(row), note: row.task, calls: [] };
  if (event.type === 'run_opened') {
    const task = event.task.slice(0, LONGEST_NOTE);
    return {
      id: event.run,
      agent: event.agent,
      ...(event.name !== undefined && { name: event.name }),
      ...(event.derivedBy !== undefined && { derivedBy: event.derivedBy }),
      status: 'running',
      usage: NO_USAGE,
      startedAt: new Date().toISOString(),
      task,
      note: task,
      calls: [],
      ...(event.parent !== undefined && { parent: event.parent }),
    };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'turn_started':
      return { ...atWork(row), note: row.task, calls: [] };
    case 'turn_waiting':
      return { ...row, status: 'waiting', note: `waits ${seconds(event.delayMs)}: ${event.reason}` };
    case 'message_delta': {
      if (event.kind === 'thinking') return row;
      const { tail = '' } = typeof row.note === 'string' ? {} : row.note;
      return { ...row, note: { tail: (tail + event.text).slice(-LONGEST_NOTE) } };
    }
    case 'turn_finished':
      return { ...row, status: 'running', note: row.task, usage: add(row.usage, event.usage) };
    case 'call_started':
      return withCalls(row, [...row.calls, event]);
    case 'call_output': {
      const line = event.text.trimEnd().split('\n').at(-1) ?? '';
      return line.trim() === '' ? row : { ...row, note: `${event.tool}: ${line.slice(-LONGEST_NOTE)}` };
    }
    case 'call_finished':
      return withCalls(
        row,
        row.calls.filter(({ call }) => call !== event.call),
      );
    case 'question_asked':
      return { ...row, status: 'waiting', note: `asks: ${event.question.slice(0, LONGEST_NOTE)}` };
    case 'question_answered':
      return { ...row, status: 'running', note: row.task };
    case 'run_closed':
      return {
        ...row,
        status: event.status,
        ...(event.error !== '' && { failure: { error: event.error, message: event.reason } }),
        endedAt: new Date().toISOString(),
        note: event.reason === '' ? row.task : event.reason,
      };
    case 'skill_loaded':
    case 'context_discovered':
    case 'warning':
      return row;
  }
}

/** Of calls that a function carries out, the first that has not ended. A sub-agent has a line of its own. */
function withCalls(row: LiveRow, calls: readonly CallIdentity[]): LiveRow {
  const shown = calls.find(({ kind }) => kind === 'invoke');
  return { ...row, calls, note: shown === undefined ? row.task : toolCall(shown).slice(0, LONGEST_NOTE) };
}

/** More characters than a line of any terminal shows: a task may be as long as a book. */
const LONGEST_NOTE = 500;

function add(one: Usage, other: Usage): Usage {
  return {
    turns: one.turns + other.turns,
    toolCalls: one.toolCalls + other.toolCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    nanoUsd: (one.nanoUsd ?? 0) + (other.nanoUsd ?? 0),
  };
}
