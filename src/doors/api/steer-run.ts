import type { Context } from 'hono';
import { ConfigError } from '../../errors.ts';
import { isRedriven } from '../../core/lifecycle/redriven.ts';
import { OPEN, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { findAgent } from './agents.ts';
import { giveBudget } from './budget.ts';
import { answer, answerUnderWay } from './json-answer.ts';
import type { ApiPorts } from './ports.ts';
import { Problem } from './problem.ts';
import { parseBody } from './request.ts';
import { findRun, isInterrupted, toResource } from './run-resources.ts';
import { AddBudget, ResumeRun, SendMessage } from './request-bodies.ts';
import { callerOf, subjectOf } from './subject.ts';
import { checkTimeout } from './to-request.ts';

/** Callers' actions on an existing run. An action that its state does not allow is a conflict (409). */

export async function send(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const { text } = await parseBody(c, SendMessage);
  const by = subjectOf(c);
  await orConflict(() => ports.send({ run: run.id, text, ...(by !== undefined && { by }) }));
  return answerUnderWay(c, await findRun(run.id, ports), ports);
}

export async function stop(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  if (!isIn(OPEN, run) && !(await isRedriven(run, ports.executions))) {
    return answer(c, 200, await toResource(run, ports));
  }
  const cause = 'stopped through the API';
  const { closeInterrupted } = ports;
  if (closeInterrupted !== undefined && (await isInterrupted(run, ports))) {
    await orConflict(() => closeInterrupted(run, cause));
    return answer(c, 200, await toResource(await findRun(run.id, ports), ports));
  }
  await orConflict(() => ports.executions.stop(run.execution, cause));
  return answerUnderWay(c, run, ports);
}

export async function kill(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  await orConflict(() => ports.kill(run));
  return answerUnderWay(c, await findRun(run.id, ports), ports);
}

export async function addBudget(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const body = await parseBody(c, AddBudget);
  return answer(c, 200, await orConflict(() => giveBudget(run, body, ports, callerOf(c))));
}

export async function resume(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const { timeout } = await parseBody(c, ResumeRun);
  if (timeout !== undefined) checkTimeout(timeout, await findAgent(run.agent, ports.source));
  const resumed = await orConflict(() => ports.resume(run, timeout));
  return answerUnderWay(c, resumed, ports);
}

/** An action that the state of a run does not allow is no fault of the request. */
async function orConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Problem(409, error.message);
  }
}
