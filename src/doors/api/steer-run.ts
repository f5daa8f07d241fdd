import { seconds } from '../../core/records/times.ts';
import type { Context } from 'hono';
import { AgentError, ConfigError, MissingKeyError } from '../../errors.ts';
import { newRunId } from '../../core/records/run-id.ts';
import { belongsTo } from '../../core/records/owner.ts';
import type { Run } from '../../core/records/run.ts';
import { DayLimitError, EndedError, PausedError } from '../../places/environment-errors.ts';
import { findAgent } from './agents.ts';
import { namedFiles } from './attachments.ts';
import { giveBudget } from './budget.ts';
import { answer, answerUnderWay } from './json-answer.ts';
import type { ApiContext } from './context.ts';
import { Problem } from './problem.ts';
import { parseBody, parseHeaders } from './request.ts';
import { findRun, isInterrupted, toResource } from './run-resources.ts';
import { AddBudget, ForkRun, ResumeRun, SendMessage } from './steering-bodies.ts';
import { StartHeaders } from './request-parameters.ts';
import { keyPartsOf, nameOfCaller } from './subject.ts';
import { checkModel, checkTimeout } from './to-request.ts';

/** Callers' actions on an existing run. An action that its state does not allow is a conflict (409). */

export async function send(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const { text = '', attachments = [] } = await parseBody(c, SendMessage);
  const files = await namedFiles(attachments, context);
  const by = nameOfCaller(c, context);
  await orConflict(() =>
    context.environment.send({ run: run.id, text, files, ...(by !== undefined && { by }) }),
  );
  return answerUnderWay(c, await findRun(run.id, context), context);
}

export async function stop(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const wasInterrupted = await isInterrupted(run, context);
  try {
    await orConflict(() => context.environment.stop(run, 'stopped through the API', whoAsks(c, context)));
  } catch (thrown) {
    if (!(thrown instanceof EndedError)) throw thrown;
    return answer(c, 200, await toResource(run, context));
  }
  if (!wasInterrupted) return answerUnderWay(c, run, context);
  return answer(c, 200, await toResource(await findRun(run.id, context), context));
}

export async function fork(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const { 'idempotency-key': key } = parseHeaders(c, StartHeaders);
  const body = await parseBody(c, ForkRun);
  await checkChoices(run, body, context);
  const { timeout, ...point } = body;
  const isIdle = point.turn === undefined && point.text === undefined;
  const id = newRunId(run.agent, context.now());
  // The copy's owner is that of the run, whose keys are no administrator's. No key of a client has a blank.
  const once =
    key === undefined || isOwn(run, context.caller) ? key : `${key} ${JSON.stringify(keyPartsOf(context))}`;
  const wanted = isIdle ? { once } : { ...point, id, once, timeout: timeout && seconds(timeout) };
  const copy = await orConflict(() => context.environment.fork(run, wanted));
  c.header('location', `/runs/${copy.id}`);
  return answer(c, 201, await toResource(copy, context));
}

export async function kill(c: Context, run: Run, context: ApiContext): Promise<Response> {
  await orConflict(() => context.environment.kill(run, whoAsks(c, context)));
  return answerUnderWay(c, await findRun(run.id, context), context);
}

export async function addBudget(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const body = await parseBody(c, AddBudget);
  return answer(c, 200, await orConflict(() => giveBudget(run, body, context, nameOfCaller(c, context))));
}

export async function resume(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const body = await parseBody(c, ResumeRun);
  await checkChoices(run, body, context);
  const { timeout, model } = body;
  const resumed = await orConflict(() =>
    context.environment.resume(run, { timeout: timeout && seconds(timeout), model, by: whoAsks(c, context) }),
  );
  return answerUnderWay(c, resumed, context);
}

function isOwn(run: Run, caller: ApiContext['caller']): boolean {
  return caller === undefined ? run.owner === undefined : belongsTo(run, caller);
}

/** Who did it, for the records. */
function whoAsks(c: Context, context: ApiContext): string {
  return nameOfCaller(c, context) ?? 'the API';
}

/** @throws {Problem} 400 for a time or a model that the caller may not choose */
async function checkChoices(run: Run, { timeout, model }: ResumeRun, context: ApiContext): Promise<void> {
  if (timeout === undefined && model === undefined) return;
  const agent = await findAgent(run.agent, context.source);
  checkTimeout(timeout, agent);
  checkModel(model, agent, context.models);
}

/** An action that the state of a run does not allow is no fault of the request. */
export async function orConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DayLimitError) throw new Problem(429, error.message);
    if (error instanceof PausedError) throw new Problem(503, error.message);
    // A model that cannot be used here.
    if (error instanceof AgentError || error instanceof MissingKeyError)
      throw new Problem(422, error.message);
    if (!(error instanceof ConfigError) || error instanceof EndedError) throw error;
    throw new Problem(409, error.message);
  }
}
