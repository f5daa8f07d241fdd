import type { ShownRun } from '../../../core/reports/shown-tree.ts';
import type { CallIdentity, RunEvent } from '../../../core/events/event.ts';
import { closingReason } from '../../../core/records/closing-reason.ts';
import { durationOf, NO_USAGE, type Usage } from '../../../core/records/run.ts';
import type { LineNote } from './columns.ts';
import { seconds } from './figures.ts';
import { toolCall } from './tool-call.ts';
import type { TreeRow } from './tree-text.ts';

/** The note is the task, unless there is something to say that matters more. */
export type LiveRow = TreeRow & { task: string; note: LineNote; calls: readonly CallIdentity[] };

/** The same from its record. */
export function keptRow(run: ShownRun): TreeRow {
  return { ...run, note: closingReason(run) || run.task };
}

/**
 * The facts about a run after an event in it; undefined until there are any.
 * @param at when it happened, in milliseconds since 1970
 */
export function rowAfter(row: LiveRow | undefined, event: RunEvent, at: number): LiveRow | undefined {
  if (event.type === 'run_opened' && row !== undefined) {
    return { ...atWork(row, at), note: row.task, calls: [] };
  }
  if (event.type === 'run_opened') {
    const task = event.task.slice(0, LONGEST_NOTE);
    return {
      id: event.run,
      agent: event.agent,
      ...(event.name !== undefined && { name: event.name }),
      ...(event.derivedBy !== undefined && { derivedBy: event.derivedBy }),
      status: 'running',
      usage: NO_USAGE,
      startedAt: new Date(at).toISOString(),
      task,
      note: task,
      calls: [],
      ...(event.parent !== undefined && { parent: event.parent }),
    };
  }
  if (row === undefined) return undefined;
  // More may still be told of it then. An idle agent continues without being opened again.
  const goesOn = row.status === 'idle' && event.type === 'turn_started';
  if (row.endedAt !== undefined && !goesOn) return row;
  switch (event.type) {
    case 'turn_started':
      return { ...atWork(row, at), note: row.task, calls: [] };
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
      return { ...row, status: 'asking', note: `asks: ${event.question.slice(0, LONGEST_NOTE)}` };
    case 'question_answered':
      return { ...row, status: 'running', note: row.task };
    case 'run_closed':
      return {
        ...row,
        status: event.status,
        ...(event.error !== '' && { failure: { error: event.error, message: event.reason } }),
        endedAt: new Date(at).toISOString(),
        note: event.reason === '' ? row.task : event.reason,
      };
    case 'skill_loaded':
    case 'context_discovered':
    case 'warning':
      return row;
  }
}

/** A run that goes on after its end, because a message came or it was resumed. */
function atWork({ endedAt, failure: _failure, ...row }: LiveRow, at: number): LiveRow {
  if (endedAt === undefined) return { ...row, status: 'running' };
  const workedMs = durationOf({ ...row, endedAt }, at);
  return { ...row, status: 'running', resumedAt: new Date(at).toISOString(), workedMs };
}

/** Of calls that a function carries out, the first that has not ended. A sub-agent has a line of its own. */
function withCalls(row: LiveRow, calls: readonly CallIdentity[]): LiveRow {
  const shown = calls.find(({ kind }) => kind === 'invoke');
  return { ...row, calls, note: shown === undefined ? row.task : toolCall(shown).slice(0, LONGEST_NOTE) };
}

/** More characters than a line of any terminal has: a task may be as long as a book. */
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
