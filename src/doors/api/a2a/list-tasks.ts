import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { isRunId } from '../../../core/records/run-id.ts';
import type { ApiContext } from '../context.ts';
import { ownerSeen } from '../subject.ts';
import { readConversation } from './conversations.ts';
import { withHistory } from './tasks.ts';

const PAGE = 50;
const LARGEST_PAGE = 100;

/**
 * The tasks of an agent. On a page, tasks whose state changed last come first; pages go from the newest conversation to
 * the oldest. The tasks of one context are found without looking through the others if the context is named by its
 * first task. A page ends with a whole conversation, and may have a few tasks more than was asked for.
 * @throws {A2AError} for an invalid page
 */
export async function listTasks(
  {
    contextId,
    status,
    pageSize = PAGE,
    pageToken,
    historyLength,
    statusTimestampAfter,
    includeArtifacts,
  }: ListTasksRequest,
  agent: string,
  context: ApiContext,
): Promise<ListTasksResponse> {
  if (pageSize < 1 || pageSize > LARGEST_PAGE) {
    throw new RequestMalformedError(`pageSize must be from 1 to ${LARGEST_PAGE}`);
  }
  if (pageToken !== '' && !isRunId(pageToken))
    throw new RequestMalformedError('pageToken is not from a page of tasks');
  if (status === TaskState.UNRECOGNIZED)
    throw new RequestMalformedError('status must be a state of a task, such as TASK_STATE_WORKING');
  const since = statusTimestampAfter === undefined ? -Infinity : Date.parse(statusTimestampAfter);
  if (Number.isNaN(since)) throw new RequestMalformedError('statusTimestampAfter must be a time in ISO 8601');
  const isWanted = (task: Task) =>
    (contextId === '' || task.contextId === contextId) &&
    (status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status) &&
    Date.parse(task.status?.timestamp ?? '') >= since;
  const { records } = context.environment;
  const tasks: Task[] = [];
  const add = async (run: string) => {
    const conversation = await readConversation(run, agent, context);
    tasks.push(...(conversation?.tasks.toReversed().filter(isWanted) ?? []));
  };
  let next: string | undefined;
  if (isRunId(contextId)) await add(contextId);
  else {
    next = pageToken === '' ? undefined : pageToken;
    do {
      const page = await records.listTrees({
        limit: pageSize,
        agent,
        owner: ownerSeen(context),
        after: next,
      });
      for (const { top } of page.trees) await add(top.id);
      next = page.next;
    } while (next !== undefined && tasks.length < pageSize);
  }
  return {
    tasks: tasks.sort(latestFirst).map((task) => ({
      ...withHistory(task, historyLength),
      ...(includeArtifacts !== true && { artifacts: [] }),
    })),
    nextPageToken: next ?? '',
    pageSize,
    totalSize: tasks.length,
  };
}

function latestFirst(one: Task, other: Task): number {
  return (other.status?.timestamp ?? '').localeCompare(one.status?.timestamp ?? '');
}
