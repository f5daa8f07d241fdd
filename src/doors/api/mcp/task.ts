import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Run } from '../../../core/records/run.ts';
import type { ApiContext } from '../context.ts';

/** A run as a task of the protocol's extension for them (2026-07-28, "Tasks"). */

/** How often a client looks, in milliseconds: often enough to show a question while a person still waits for it. */
const POLL_MS = 500;

function keyOf({ id }: Run): string {
  return `mcp task ${id}`;
}

/** Whether a client was given the run as a task: only the call that started a run may touch its questions. */
export async function isTask(run: Run, { environment }: ApiContext): Promise<boolean> {
  return (await environment.records.bound(keyOf(run))) !== undefined;
}

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

/**
 * The answer to a call whose run goes on as a task, which is noted. The package lets no answer to a call pass without
 * `content`.
 */
export async function toTask(run: Run, context: ApiContext): Promise<CallToolResult> {
  await context.environment.once(keyOf(run), { run: run.id, digest: 'task' });
  return { content: [], resultType: 'task', status: 'working', ...taskOf(run, context) };
}
