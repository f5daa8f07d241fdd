import { defined } from '../../defined.ts';
import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { inputMessages, outputMessages } from './trace-content.ts';
import { executionSpanId, turnSpanId } from './trace-context.ts';
import {
  beganBefore,
  inUsd,
  modelAttributes,
  modelOf,
  type TraceOptions,
  type TraceReader,
  type TraceSpan,
} from './trace-span.ts';

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

/** The new part of a turn's request: all of it in the first turn. */
function sentIn({ number, received }: Turn, opened: Opened | undefined): Message[] {
  if (number > 1 || opened === undefined) return received;
  return [...(opened.earlier ?? []), { role: 'user', text: opened.message }, ...received];
}

function textParts(text: string): string {
  return JSON.stringify([{ type: 'text', content: text }]);
}
