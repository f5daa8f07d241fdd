import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Run } from '../../../core/records/run.ts';
import type { ApiContext } from '../context.ts';

/** A run as a task of the protocol's extension for them (2026-07-28, "Tasks"). */

/** How often a client looks, in milliseconds: often enough to show a question while a person still waits for it. */
const POLL_MS = 500;

/** The fields that all messages about a task share. */
export function taskOf({ id, startedAt, endedAt }: Run, { now }: Pick<ApiContext, 'now'>) {
  return {
    taskId: id,
    createdAt: startedAt,
    lastUpdatedAt: endedAt ?? new Date(now()).toISOString(),
    // It can be asked for as long as its run is kept.
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

/** The answer to a call whose run goes on as a task. The package lets no answer to a call pass without `content`. */
export function toTask(run: Run, context: Pick<ApiContext, 'now'>): CallToolResult {
  return { content: [], resultType: 'task', status: 'working', ...taskOf(run, context) };
}
