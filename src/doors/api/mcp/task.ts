import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Run } from '../../../core/records/run.ts';
import type { ApiContext } from '../context.ts';

/** A run as a task of the protocol's extension for them (2026-07-28, "Tasks"). */

/** How often a client looks, in milliseconds: often enough to show a question while a person still waits for it. */
const POLL_MS = 500;

function keyOf({ id }: Run): string {
  return `mcp task ${id}`;
}

/** Notes that a call has handed the run that it started to its client, who may answer its questions from now on. */
export async function noteTask(run: Run, { environment }: ApiContext): Promise<void> {
  await environment.once(keyOf(run), { run: run.id, digest: 'task' });
}

/** Whether that is so: only the call that started a run may touch its questions. */
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

/** The answer to a call whose run continues as a task. The package lets no answer to a call pass without `content`. */
export function toTask(run: Run, context: Pick<ApiContext, 'now'>): CallToolResult {
  return { content: [], resultType: 'task', status: 'working', ...taskOf(run, context) };
}
