import { seconds } from '../../../core/records/times.ts';
import {
  inputRequired,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { closingReason } from '../../../core/records/closing-reason.ts';
import { newRunId } from '../../../core/records/run-id.ts';
import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import { outputOf, resultOf, type Turn } from '../../../core/records/turn.ts';
import type { ApiContext } from '../context.ts';
import type { Problem } from '../problem.ts';
import { findRun } from '../run-resources.ts';
import { startRun } from '../start.ts';
import { noteCall } from './cancelled-calls.ts';
import { canElicit, takesTasks } from './client-capabilities.ts';
import { takeAnswers, toForms } from './elicitation.ts';
import { newsOf, nextOf } from '../next-of.ts';
import { RESULT_TOOL, type OfferedAgent } from '../offered-agents.ts';
import { toProblem } from './fault.ts';
import { createProgress } from './progress.ts';
import { noteTask, toTask } from './task.ts';
import { check } from '../request.ts';
import { parseCall, ResultCall } from './tool-arguments.ts';
import { clientOf, mayAnswer } from '../subject.ts';

/** Where a call comes from. */
export interface Caller {
  ctx: ServerContext;
  /** The client's words when it connected; undefined where each request has them. */
  capabilities: ClientCapabilities | undefined;
  /** Whether a question is asked within the call, which then continues, and not in an answer to it. */
  asksWithin: boolean;
  /** Seals what a client that is asked sends back with the answers. */
  seal(begun: Begun): Promise<string>;
}

/** How far a call has got. */
export interface Begun {
  run: string;
  /** The keys of the forms that its client was sent. */
  asked: string[];
}

type Answered = CallToolResult | InputRequiredResult;

/** How long a run waits for the person whose client shows forms, unless the agent's file says otherwise. */
const PATIENCE = seconds(3_600);

/** Runs an agent for a call of its tool. A call that is cancelled stops the run with everything below it. */
export function callAgent(
  { name, agent }: OfferedAgent,
  given: unknown,
  caller: Caller,
  context: ApiContext,
): Promise<Answered> {
  return orError(caller, context, async () => {
    const { request, wait } = parseCall(name, agent, given, context.models);
    const overrides = { ...request.overrides, ...(mayAsk(caller, context) && { patience: PATIENCE }) };
    const begun = caller.ctx.mcpReq.requestState<Begun>();
    // What a client was sent serves nobody else.
    if (begun !== undefined) await findRun(begun.run, context);
    const id = begun?.run ?? newRunId(name, context.now());
    const answered = await follow(id, wait, caller, context, {
      start: () => startRun({ id, request: { ...request, overrides } }, context),
      isOwn: true,
    });
    return agent.output === undefined ? answered : asListed(answered);
  });
}

/** For a tool that is listed with a schema of its answers, clients accept only errors without a value. */
function asListed(answered: Answered): Answered {
  const isAnswer = answered.resultType === undefined;
  return isAnswer && answered['structuredContent'] === undefined ? { ...answered, isError: true } : answered;
}

/** Asks for the result of a run whose call has not waited for it. */
export function callResult(given: unknown, caller: Caller, context: ApiContext): Promise<Answered> {
  return orError(caller, context, async () => {
    const { run_id: id, wait } = check(ResultCall, given);
    const run = await findRun(id, context);
    return follow(id, wait, caller, context, { start: async () => run, isOwn: false });
  });
}

interface Following {
  /** Makes sure that it is there. */
  start(): Promise<Run>;
  /**
   * Whether the call started the run: only then is it stopped with the call, and its questions are shown to the client.
   * A call that only reads changes nothing.
   */
  isOwn: boolean;
}

async function follow(
  id: string,
  seconds: number,
  caller: Caller,
  context: ApiContext,
  { start, isOwn }: Following,
): Promise<Answered> {
  const { ctx, asksWithin } = caller;
  const signals = [ctx.mcpReq.signal, ...(ctx.http?.req === undefined ? [] : [ctx.http.req.signal])];
  const signal = AbortSignal.any(signals);
  const news = await newsOf(id, context, createProgress(ctx));
  let stop = () => {};
  let staysHere = false;
  try {
    const run = await start();
    if (isOwn) {
      // A run that cannot be stopped has ended.
      stop = () =>
        void context.environment.stop(run, 'its client cancelled the call', clientOf(run)).catch(() => {});
      for (const each of signals) each.addEventListener('abort', stop, { once: true });
      if (signal.aborted || (await noteCall(id, ctx, context))) stop();
      await takeAnswers(ctx, ctx.mcpReq.requestState<Begun>()?.asked ?? [], context);
    }
    const { answerSeconds = Infinity } = context;
    const wait = Math.min(seconds, answerSeconds);
    // Whoever may not answer may not decline either: that is left to others.
    const isAsked = isOwn && mayAnswer(context);
    const asking = isAsked ? (mayAsk(caller, context) ? 'ask' : 'decline') : 'leave';
    const next = await nextOf(id, { seconds: wait, signal, asking }, news, context);
    if (next.kind === 'asks') {
      staysHere = asksWithin;
      const inputRequests = toForms(next.questions);
      const requestState = await caller.seal({ run: id, asked: Object.keys(inputRequests) });
      return inputRequired({ inputRequests, requestState });
    }
    if (next.kind === 'ended') return await toResult(next.run, context);
    if (!takesTasks(ctx)) return stillAtWork(id);
    if (isOwn) await noteTask(next.run, context);
    return toTask(next.run, context);
  } finally {
    news.close();
    if (!staysHere) for (const each of signals) each.removeEventListener('abort', stop);
  }
}

function mayAsk({ ctx, capabilities }: Caller, context: ApiContext): boolean {
  return mayAnswer(context) && canElicit(ctx, capabilities);
}

/** The answer of a run that has ended. @param made its turns; absent: those that are kept */
export async function toResult(
  run: Run,
  { environment }: Pick<ApiContext, 'environment'>,
  made?: readonly Turn[],
): Promise<CallToolResult> {
  const reason = closingReason(run);
  const about = { _meta: { [RUN_KEY]: run.id } };
  if (!isIn(ANSWERED, run)) {
    const text = `Error: run "${run.id}" ${run.status.replace('_', ' ')}: ${reason}`;
    return { content: [{ type: 'text', text }], isError: true, ...about };
  }
  const turns = made ?? (await environment.records.turns(run.id));
  const output = outputOf(run, turns);
  const answer = { type: 'text' as const, text: resultOf(run, turns) };
  const limit = { type: 'text' as const, text: `[This may be incomplete: ${reason}]` };
  return {
    content: reason === '' ? [answer] : [answer, limit],
    ...(output !== undefined && { structuredContent: output }),
    ...about,
  };
}

/** The key of a result's metadata under which a client finds the id of the run. */
const RUN_KEY = 'cadre/run';

function stillAtWork(id: string): CallToolResult {
  const text = `The agent is still at work. Call ${RESULT_TOOL} with the run_id "${id}" for its answer.`;
  return { content: [{ type: 'text', text }], _meta: { [RUN_KEY]: id } };
}

async function orError(
  { ctx }: Caller,
  context: ApiContext,
  work: () => Promise<Answered>,
): Promise<Answered> {
  try {
    return await work();
  } catch (thrown) {
    return toError(toProblem(thrown, ctx, context));
  }
}

/** The error of a call, for the model that made it. */
function toError({ message }: Problem): CallToolResult {
  return { content: [{ type: 'text', text: `Error: ${message}` }], isError: true };
}
