import { isDeepStrictEqual } from 'node:util';
import type { Positions } from '../../../core/events/positions.ts';
import { AT_REST, AT_WORK, isIn } from '../../../core/records/phase.ts';
import { newRunId } from '../../../core/records/run-id.ts';
import type { Run } from '../../../core/records/run.ts';
import { checkTogether } from '../attached.ts';
import type { ApiContext } from '../context.ts';
import { badField, Problem } from '../problem.ts';
import { ownRequest, startRun } from '../start.ts';
import { orConflict } from '../steer-run.ts';
import { answerInterrupts, openInterrupts } from './interrupts.ts';
import { newsIn, toBeginning, type Kept } from './news.ts';
import type { RunInput } from './run-input.ts';
import { saidIn } from './said.ts';
import { assertMayAnswer, keyPartsOf } from '../subject.ts';

/** The run of a thread that goes on for a client. */
export interface Going {
  run: string;
  /** What has been told of it before. */
  from: Positions;
}

/** A client that has just left may write again before its run is stopped. */
const STOPPING_MS = 500;

/**
 * Continues the run of a thread with the news in a client's request; the first request begins the run. Each agent and
 * each owner has threads of its own.
 * @param by the person named in records of answers
 * @throws {Problem} 400, 409 or 422 if it cannot continue like this
 */
export async function goOn(
  agent: string,
  input: RunInput,
  by: string | undefined,
  context: ApiContext,
): Promise<Going> {
  const id = await boundTo(agent, input.threadId, context);
  const run = await context.environment.records.run(id);
  return run === undefined ? begin(id, agent, input, context) : write(run, input, by, context);
}

/** The id of the run that the thread stands for, whether it has begun or not. */
async function boundTo(agent: string, thread: string, context: ApiContext): Promise<string> {
  const { environment, now } = context;
  const key = `ag-ui thread ${JSON.stringify([null, agent, thread, ...keyPartsOf(context)])}`;
  return (await environment.once(key, { run: newRunId(agent, now()), digest: '' })).run;
}

async function begin(
  id: string,
  agent: string,
  { messages, resume }: RunInput,
  context: ApiContext,
): Promise<Going> {
  if (resume.length > 0)
    throw new Problem(409, 'resume answers nothing, since the thread has not begun: leave it out');
  const said = saidIn(messages);
  const files = said.flatMap((one) => one.files);
  checkTogether(files);
  const beginning = toBeginning(said);
  if (beginning === undefined) throw badField('messages', 'must end with a message of the user');
  const request = ownRequest({ agent, ...beginning }, context);
  await startRun({ id, request, files }, context);
  // The first of two that begin a thread at once is the one that is kept.
  const kept = await context.environment.records.request(id);
  if (!isDeepStrictEqual(kept, request)) throw busy(id);
  return { run: id, from: new Map() };
}

async function write(
  run: Run,
  { messages, resume }: RunInput,
  by: string | undefined,
  context: ApiContext,
): Promise<Going> {
  const { caller, environment } = context;
  const said = saidIn(messages);
  const going = { run: run.id, from: await environment.told(run.id) };
  const open = await openInterrupts(run, context);
  const isAsking = open.size > 0 || resume.length > 0;
  if (!isAsking && (await isAtWork(run, context))) {
    const known = newsIn(said, await keptOf(run, context));
    // It asks once more for what is under way.
    if (Array.isArray(known) && known.length === 0) return going;
    await environment.ended(run.id, { signal: AbortSignal.timeout(STOPPING_MS) });
    if (await isAtWork(run, context)) throw busy(run.id);
  }
  const news = newsIn(said, await keptOf(run, context));
  if (news instanceof Problem) throw news;
  if (isAsking) assertMayAnswer(context);
  if (isAsking) await answerInterrupts(run.id, open, resume, context, by);
  checkTogether(news.flatMap((one) => one.files));
  for (const message of news) {
    await orConflict(() =>
      environment.send({ run: run.id, ...message, ...(caller !== undefined && { by: caller.owner }) }),
    );
  }
  if (news.length > 0 || (await isAtWork(run, context))) return going;
  const newest = (await environment.records.run(run.id)) ?? run;
  if (isIn(AT_REST, newest)) {
    throw new Problem(
      409,
      'messages end with nothing new: the agent has answered all of them, so add one of the user',
    );
  }
  await orConflict(() => environment.resume(newest));
  return going;
}

/** Whether an execution carries the run, which has not answered yet. */
async function isAtWork({ id }: Run, { environment: { records } }: ApiContext): Promise<boolean> {
  const run = await records.run(id);
  return run !== undefined && isIn(AT_WORK, run) && (await records.isCarriedOut(run.root));
}

async function keptOf({ id }: Run, { environment: { records } }: ApiContext): Promise<Kept> {
  const [request, mails, turns] = await Promise.all([
    records.request(id),
    records.mails(id),
    records.turns(id),
  ]);
  return { run: id, request, mails, turns };
}

function busy(run: string): Problem {
  return new Problem(
    409,
    `the thread is at work on another message: wait for its answer, or stop it with POST /runs/${run}/stop`,
  );
}
