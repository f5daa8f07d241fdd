import { seconds } from '../../core/records/times.ts';
import type { Context } from 'hono';
import { AgentError, ConfigError, MissingKeyError } from '../../errors.ts';
import type { Run } from '../../core/records/run.ts';
import { EndedError } from '../../places/environment-errors.ts';
import { findAgent } from './agents.ts';
import { giveBudget } from './budget.ts';
import { answer, answerUnderWay } from './json-answer.ts';
import type { ApiContext } from './context.ts';
import { Problem } from './problem.ts';
import { parseBody } from './request.ts';
import { findRun, isInterrupted, toResource } from './run-resources.ts';
import { AddBudget, ResumeRun, SendMessage } from './request-bodies.ts';
import { callerOf, subjectOf } from './subject.ts';
import { checkModel, checkTimeout } from './to-request.ts';

/** Callers' actions on an existing run. An action that its state does not allow is a conflict (409). */

export async function send(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const { text } = await parseBody(c, SendMessage);
  const by = subjectOf(c);
  await orConflict(() => context.environment.send({ run: run.id, text, ...(by !== undefined && { by }) }));
  return answerUnderWay(c, await findRun(run.id, context), context);
}

export async function stop(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const wasInterrupted = await isInterrupted(run, context);
  try {
    await orConflict(() => context.environment.stop(run, 'stopped through the API', whoAsks(c)));
  } catch (thrown) {
    if (!(thrown instanceof EndedError)) throw thrown;
    return answer(c, 200, await toResource(run, context));
  }
  if (!wasInterrupted) return answerUnderWay(c, run, context);
  return answer(c, 200, await toResource(await findRun(run.id, context), context));
}

export async function fork(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const copy = await orConflict(() => context.environment.fork(run));
  c.header('location', `/runs/${copy.id}`);
  return answer(c, 201, await toResource(copy, context));
}

export async function kill(c: Context, run: Run, context: ApiContext): Promise<Response> {
  await orConflict(() => context.environment.kill(run, whoAsks(c)));
  return answerUnderWay(c, await findRun(run.id, context), context);
}

export async function addBudget(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const body = await parseBody(c, AddBudget);
  return answer(c, 200, await orConflict(() => giveBudget(run, body, context, callerOf(c))));
}

export async function resume(c: Context, run: Run, context: ApiContext): Promise<Response> {
  const { timeout, model } = await parseBody(c, ResumeRun);
  if (timeout !== undefined || model !== undefined) {
    const agent = await findAgent(run.agent, context.source);
    checkTimeout(timeout, agent);
    checkModel(model, agent, context.models);
  }
  const resumed = await orConflict(() =>
    context.environment.resume(run, { timeout: timeout && seconds(timeout), model, by: whoAsks(c) }),
  );
  return answerUnderWay(c, resumed, context);
}

/** Who did it, for the records. */
function whoAsks(c: Context): string {
  return callerOf(c) ?? 'the API';
}

/** An action that the state of a run does not allow is no fault of the request. */
export async function orConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A model that cannot be used here.
    if (error instanceof AgentError || error instanceof MissingKeyError)
      throw new Problem(422, error.message);
    if (!(error instanceof ConfigError) || error instanceof EndedError) throw error;
    throw new Problem(409, error.message);
  }
}
