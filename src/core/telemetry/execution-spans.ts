import { defined } from '../../defined.ts';
import { ENDED, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import { resultOf, type Turn } from '../records/turn.ts';
import { outputMessages } from './trace-content.ts';
import { callSpanId, executionSpanId } from './trace-context.ts';
import { inUsd, modelAttributes, type TraceOptions, type TraceSpan } from './trace-span.ts';

/** The executions of a run that have ended: a run that was resumed or woken has several, each linked to the one before. */
export function executionSpans(
  run: Run,
  turns: readonly Turn[],
  { context, content }: TraceOptions,
): TraceSpan[] {
  const { id, root, agent, name, parent, version, pack, gaps = [], failure } = run;
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
        ...defined({ 'gen_ai.agent.version': version, 'cadre.pack': pack, 'cadre.name': name }),
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
