import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { treeReport } from '../../../core/reports/run-report.ts';
import { shownTree } from '../../../core/reports/shown-tree.ts';
import { closingReason } from '../../../core/records/closing-reason.ts';
import { ANSWERED, OPEN, isIn } from '../../../core/records/phase.ts';
import { isOfPerson } from '../../../core/records/mail.ts';
import type { Run } from '../../../core/records/run.ts';
import type { ApiContext } from '../context.ts';
import { Problem } from '../problem.ts';
import { findRun } from '../run-resources.ts';
import { toResult } from './call-agent.ts';
import { canElicit, takesTasks, TASKS_EXTENSION } from './client-capabilities.ts';
import { keyOf, takeAnswers, toForms } from './elicitation.ts';
import { toProblem } from './fault.ts';
import { isBehindEnd } from '../behind-end.ts';
import { questionsOf, stateOf, type Next } from '../next-of.ts';
import { keepEnd, keptEnd, type TaskEnd } from '../task-ends.ts';
import { isTask, taskOf } from './task.ts';
import { counted } from '../../../counted.ts';
import { clientOf, mayAnswer } from '../subject.ts';

const TaskParams = v.object({ taskId: v.string() });

/**
 * Lets a client look at a run that it got as a task, answer its questions, and stop it. The package for servers leaves
 * this extension to its users. A server of the older era must not have it: that era's tasks were different.
 */
export function serveTasks({ server }: McpServer, context: ApiContext): void {
  const handle = (
    method: string,
    answer: (run: Run, ctx: ServerContext) => Promise<Record<string, unknown>>,
  ): void =>
    server.setRequestHandler(method, { params: TaskParams }, async ({ taskId }, ctx) => {
      if (!takesTasks(ctx)) {
        const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
      }
      try {
        return await answer(await findRun(taskId, context), ctx);
      } catch (thrown) {
        const { status, message } = toProblem(thrown, ctx, context);
        const { InternalError, InvalidParams } = ProtocolErrorCode;
        throw new ProtocolError(status < 500 ? InvalidParams : InternalError, message);
      }
    });

  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  handle('tasks/get', async (run, ctx) => {
    const isOwn = await isTask(run, context);
    const over = isOwn ? await endOf(run, context) : undefined;
    if (over !== undefined) return endStatus(over, context);
    const isAsked = isOwn && canElicit(ctx, undefined) && mayAnswer(context);
    const next = await stateOf(run, isAsked ? 'ask' : 'leave', context).catch((thrown: unknown) => {
      if (!(thrown instanceof Problem)) throw thrown;
      return thrown;
    });
    if (next instanceof Problem || next.kind !== 'ended') {
      return { ...taskOf(run, context), ...(await statusOf(next, run, context)) };
    }
    const end = { run: next.run, turns: await context.environment.records.turns(run.id) };
    const isWhole = isIn(ANSWERED, end.run) && closingReason(end.run) === '';
    return endStatus(isOwn && !isWhole ? await keepEnd(run.id, end, context) : end, context);
  });
  handle('tasks/update', async (run, ctx) => {
    if (!(await isTask(run, context))) {
      const text = `run "${run.id}" is no task of a client, whose questions it could answer`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
    if ((await endOf(run, context)) !== undefined) return {};
    const given = ctx.mcpReq.inputResponses ?? {};
    const open = (await questionsOf(run.root, context)).map(keyOf);
    const asked = open.filter((key) => key in given);
    await takeAnswers(ctx, asked, context);
    return {};
  });
  handle('tasks/cancel', async (run) => {
    if ((await isTask(run, context)) && (await endOf(run, context)) !== undefined) return {};
    // A run that cannot be stopped has ended.
    await context.environment
      .stop(run, 'its client cancelled the task', clientOf(context.caller ?? {}))
      .catch(() => {});
    return {};
  });
}

/** How a client's task ended with whose run somebody has gone on since by another door: nothing changes it any more. */
async function endOf(run: Run, context: ApiContext): Promise<TaskEnd | undefined> {
  if (run.hasMail === undefined && run.resumedAt === undefined) return undefined;
  const { records } = context.environment;
  const [mails, turns] = await Promise.all([records.mails(run.id), records.turns(run.id)]);
  const kept = await keptEnd(run.id, { run, turns }, context);
  if (kept !== undefined) return kept;
  const goesOn = mails
    .filter(isOfPerson)
    .map(({ id }) => turns.findIndex(({ told = [] }) => told.includes(id)))
    .find((readIn) => isBehindEnd(readIn, turns, run));
  const until = goesOn === undefined ? [] : goesOn < 0 ? turns : turns.slice(0, goesOn);
  const last = until.at(-1);
  if (last === undefined) return undefined;
  const { exceeded: _exceeded, failure: _failure, incomplete: _incomplete, ...then } = run;
  return { run: { ...then, status: 'succeeded', endedAt: last.at }, turns: until };
}

/** One whose process is gone counts as at work: whoever serves it can bring it back. */
async function statusOf(next: Exclude<Next, { kind: 'ended' }> | Problem, run: Run, context: ApiContext) {
  if (next instanceof Problem) return { status: 'working', statusMessage: next.message };
  if (next.kind === 'asks') return { status: 'input_required', inputRequests: toForms(next.questions) };
  return { status: 'working', statusMessage: await progressOf(run, context) };
}

async function endStatus({ run, turns }: TaskEnd, context: ApiContext) {
  const status =
    run.status === 'stopped'
      ? { status: 'cancelled', statusMessage: closingReason(run) }
      : completed(await toResult(run, context, turns));
  return { ...taskOf(run, context), ...status };
}

/** With what the package adds to the answer of a call itself. */
function completed(result: CallToolResult) {
  return { status: 'completed', result: { resultType: 'complete', ...result } };
}

/** The activity of its tree so far: a task has no other progress. */
async function progressOf(run: Run, context: ApiContext): Promise<string> {
  const tree = await shownTree(run, context.environment.records);
  const { turns, tool_calls: calls } = treeReport(tree);
  const atWork = `${tree.filter((one) => isIn(OPEN, one)).length} of ${counted(tree.length, 'agent')} at work`;
  return `${atWork}; ${counted(turns, 'turn')}, ${counted(calls, 'call')} so far`;
}
