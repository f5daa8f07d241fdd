import { defined } from '../../defined.ts';
import { callName, type CallKey, type CallResult } from '../records/call.ts';
import { resultsIn } from '../records/message.ts';
import type { Plan } from '../records/plan.ts';
import type { Run } from '../records/run.ts';
import { childOf } from '../records/run-id.ts';
import type { Instant } from '../records/times.ts';
import type { Turn } from '../records/turn.ts';
import { callSpanId, executionSpanId } from './trace-context.ts';
import { beganBefore, type TraceOptions, type TraceReader, type TraceSpan } from './trace-span.ts';

/** The ended calls of a turn. @param next the turn that was told their results; undefined: none was */
export async function callSpans(
  run: Run,
  turn: Turn,
  next: Turn | undefined,
  records: Pick<TraceReader, 'answer' | 'callResult' | 'question' | 'run'>,
  options: TraceOptions,
): Promise<TraceSpan[]> {
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
  records: Pick<TraceReader, 'answer' | 'question' | 'run'>,
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
