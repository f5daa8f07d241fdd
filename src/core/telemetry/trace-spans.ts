import { callName, type CallKey, type CallResult } from '../records/call.ts';
import { resultsIn, type Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { ENDED, isIn } from '../records/phase.ts';
import type { Plan } from '../records/plan.ts';
import type { RunReader } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import { childOf } from '../records/run-id.ts';
import type { Instant } from '../records/times.ts';
import { resultOf, type Turn } from '../records/turn.ts';
import { defined } from '../../defined.ts';
import { inputMessages, outputMessages } from './trace-content.ts';
import { callSpanId, executionSpanId, turnSpanId, type TraceContext } from './trace-context.ts';

/** A span as OpenTelemetry has them, named and described by its conventions for generative AI. */
export interface TraceSpan {
  traceId: string;
  spanId: string;
  parentId?: string;
  /** Spans that it goes on from. */
  links: readonly string[];
  name: string;
  kind: 'internal' | 'client';
  /** In milliseconds since 1970. */
  start: Instant;
  end: Instant;
  attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Why it failed, in words; absent: it did not. */
  fault?: string;
}

/** The reads that the spans of a run take. */
export type TraceReader = Pick<
  RunReader,
  'answer' | 'callResult' | 'opened' | 'question' | 'run' | 'tree' | 'turn' | 'turns'
>;

export interface TraceOptions {
  context: TraceContext;
  /** Whether spans hold what was said: prompts, answers, arguments and results. */
  content: boolean;
}

/** Every span of a tree that has ended, the executions first. */
export async function treeSpans(top: Run, records: TraceReader, options: TraceOptions): Promise<TraceSpan[]> {
  const tree = await records.tree(top.id);
  const all = await Promise.all(
    tree.map(async (run) => {
      const turns = await records.turns(run.id);
      const made = await Promise.all(
        turns.map(async (turn) => [
          await turnSpan(run, turn, records, options),
          ...(await callSpans(run, turn, records, options)),
        ]),
      );
      return [...executionSpans(run, turns, options), ...made.flat()];
    }),
  );
  return all.flat();
}

/** The executions of a run that have ended: a run that was resumed or woken has several, each linked to the one before. */
export function executionSpans(
  run: Run,
  turns: readonly Turn[],
  { context, content }: TraceOptions,
): TraceSpan[] {
  const { id, root, agent, name, parent, version, gaps = [], failure } = run;
  const isOver = run.endedAt !== undefined || run.status === 'idle';
  const starts = [Date.parse(run.startedAt), ...gaps.map(([, , to]) => to)];
  const ends = [...gaps.map(([, from]) => from), ...(isOver ? [endOf(run, turns)] : [])];
  const parentId = parent === undefined ? context.parentId : callSpanId(parent);
  return ends.map((end, index) => {
    const start = starts[index] ?? end;
    const before = starts[index - 1];
    const isLast = index === starts.length - 1;
    const hasFailed = isLast && failure !== undefined && isIn(ENDED, run) && run.status !== 'succeeded';
    return {
      traceId: context.traceId,
      spanId: executionSpanId(id, start),
      ...defined({ parentId }),
      links: before === undefined ? [] : [executionSpanId(id, before)],
      name: `invoke_agent ${agent}`,
      kind: 'internal',
      start,
      end: Math.max(start, end),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'gen_ai.agent.id': id,
        'gen_ai.conversation.id': root,
        ...modelAttributes(run),
        ...defined({ 'gen_ai.agent.version': version, 'cadre.name': name }),
        'cadre.depth': run.depth,
        ...(isLast && {
          'cadre.status': run.status,
          'gen_ai.usage.input_tokens': run.usage.inputTokens,
          'gen_ai.usage.output_tokens': run.usage.outputTokens,
          ...inUsd(run.usage.nanoUsd),
          ...(content && {
            'gen_ai.output.messages': outputMessages({ text: resultOf(run, turns), calls: [] }),
          }),
        }),
        ...(hasFailed && { 'error.type': failure.error }),
      },
      ...(hasFailed && { fault: failure.message }),
    };
  });
}

function endOf({ endedAt, startedAt }: Run, turns: readonly Turn[]): Instant {
  return Date.parse(endedAt ?? turns.at(-1)?.at ?? startedAt);
}

/** The model's part of a turn. */
export async function turnSpan(
  run: Run,
  turn: Turn,
  records: Pick<TraceReader, 'opened'>,
  { context, content }: TraceOptions,
): Promise<TraceSpan> {
  const { answer, nanoUsd, retries } = turn;
  const { usage } = answer;
  const end = Date.parse(turn.at);
  const opened = content ? await records.opened(run.id) : undefined;
  return {
    traceId: context.traceId,
    spanId: turnSpanId(run.id, turn.number),
    parentId: executionSpanId(run.id, beganBefore(run, end)),
    links: [],
    name: `chat ${modelOf(run)}`,
    kind: 'client',
    start: end - turn.latencyMs,
    end,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.agent.name': run.agent,
      'gen_ai.conversation.id': run.root,
      ...modelAttributes(run),
      'gen_ai.response.finish_reasons': [answer.rawStopReason || answer.stopReason],
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      ...defined({
        'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
        'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
        'cadre.retries': retries,
      }),
      ...inUsd(nanoUsd),
      'cadre.turn': turn.number,
      ...(content && {
        ...defined({ 'gen_ai.system_instructions': opened && textParts(opened.system) }),
        'gen_ai.input.messages': inputMessages(sentIn(turn, opened)),
        'gen_ai.output.messages': outputMessages(answer),
      }),
    },
  };
}

/** What is new in the request of a turn: all of it in the first one. */
function sentIn({ number, received }: Turn, opened: Opened | undefined): Message[] {
  if (number > 1 || opened === undefined) return received;
  return [...(opened.earlier ?? []), { role: 'user', text: opened.message }, ...received];
}

function textParts(text: string): string {
  return JSON.stringify([{ type: 'text', content: text }]);
}

/** The calls of a turn that have ended. */
export async function callSpans(
  run: Run,
  turn: Turn,
  records: TraceReader,
  options: TraceOptions,
): Promise<TraceSpan[]> {
  const next = turn.answer.calls.length === 0 ? undefined : await records.turn(run.id, turn.number + 1);
  const results = resultsIn(next?.received ?? []);
  const spans = await Promise.all(
    turn.answer.calls.map(async (_, index) => {
      const at = { run: run.id, turn: turn.number, call: index + 1 };
      const result = await records.callResult(at);
      const told = results[index] ?? result;
      const made = Date.parse(turn.at);
      const times =
        result === undefined ? await timesOf(run, at, turn.plans[index], records) : timesOfResult(result);
      // What is decided at once, such as a refusal, takes no time.
      const ended = times ?? (told && { start: made, end: made });
      return ended && callSpan(run, turn, index, { ...ended, result, told }, options);
    }),
  );
  return spans.filter((span) => span !== undefined);
}

function timesOfResult({ startedAt, durationMs }: CallResult) {
  const start = Date.parse(startedAt);
  return { start, end: start + durationMs };
}

interface EndedCall {
  start: Instant;
  end: Instant;
  /** What was kept of it, if a function carried it out. */
  result: CallResult | undefined;
  /** What the model reads. */
  told: { text: string; isError: boolean } | undefined;
}

function callSpan(
  run: Run,
  turn: Turn,
  index: number,
  { start, end, result, told }: EndedCall,
  { context, content }: TraceOptions,
): TraceSpan | undefined {
  const call = turn.answer.calls[index];
  if (call === undefined) return undefined;
  const at = { run: run.id, turn: turn.number, call: index + 1 };
  const isError = told?.isError === true;
  return {
    traceId: context.traceId,
    spanId: callSpanId(at),
    parentId: executionSpanId(run.id, beganBefore(run, Date.parse(turn.at))),
    links: [],
    name: `execute_tool ${call.name}`,
    kind: 'internal',
    start,
    end: Math.max(start, end),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.agent.name': run.agent,
      'gen_ai.conversation.id': run.root,
      'gen_ai.tool.name': call.name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': call.id || callName(at),
      'cadre.turn': turn.number,
      ...(content && {
        'gen_ai.tool.call.arguments': JSON.stringify(call.arguments),
        ...defined({ 'gen_ai.tool.call.result': told?.text }),
      }),
      ...(isError && { 'error.type': result?.failure ?? 'tool_error' }),
    },
    ...(isError && { fault: content ? (told?.text ?? '') : (result?.failure ?? 'tool_error') }),
  };
}

/** When a call began and ended, as its records say: a tool's, a sub-agent's, or a question's; undefined: not yet. */
async function timesOf(
  run: Run,
  at: CallKey,
  plan: Plan | undefined,
  records: TraceReader,
): Promise<{ start: Instant; end: Instant } | undefined> {
  if (plan?.kind === 'delegate') {
    const child = await records.run(childOf(run, at.turn, at.call, plan.agent).id);
    if (child?.endedAt === undefined) return undefined;
    return { start: Date.parse(child.startedAt), end: Date.parse(child.endedAt) };
  }
  if (plan?.kind !== 'ask') return undefined;
  const [question, answer] = await Promise.all([records.question(at), records.answer(at)]);
  return question && answer && { start: Date.parse(question.askedAt), end: Date.parse(answer.at) };
}

/** When the execution began in which something happened. */
function beganBefore({ startedAt, gaps = [] }: Run, at: Instant): Instant {
  const later = gaps.map(([, , to]) => to).filter((to) => to <= at);
  return Math.max(Date.parse(startedAt), ...later);
}

/** Of a run, as the conventions name them. */
export function modelAttributes({ model }: Pick<Run, 'model'>) {
  const provider = model.slice(0, Math.max(0, model.indexOf('/')));
  if (provider === '') return {};
  return {
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': modelOf({ model }),
  };
}

/** The names of the conventions, where they are not ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

function modelOf({ model }: Pick<Run, 'model'>): string {
  return model.slice(model.indexOf('/') + 1);
}

function inUsd(nanoUsd: number | undefined) {
  return nanoUsd === undefined ? {} : { 'cadre.usd': nanoUsd / 1e9 };
}
