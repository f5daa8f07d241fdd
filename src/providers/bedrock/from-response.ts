import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import { faultIn, parseAnswer, parseJson, unparsed, unfinished } from '../answer.ts';
import { endsEarly, toCalls } from '../../core/model/calls.ts';
import { toSpent, toUsage, type CountedUsage } from '../../core/model/estimate.ts';
import { keepBlocks, type KeptBlock } from '../kept-blocks.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { isBlank } from '../pairing.ts';
import type { ModelResponse, StopReason } from '../../core/records/message.ts';
import { GUARDRAIL_INTERVENED } from '../../core/records/turn.ts';
import type { TokenUsage } from '../../token-usage.ts';
import { hasOnlyMasked } from './assessments.ts';
import { bedrockResponse, bedrockUsage, type BedrockBlock } from './wire.ts';

/** @throws {ModelError} as `fromResponse` does, and for a text that is no JSON, or reports an error */
export function fromText(request: ModelRequest, text: string): ModelResponse {
  const { value, fault } = parseJson(text);
  if (fault !== undefined) throw unparsed(READING, fault);
  return fromResponse(request, parseAnswer(READING, v.unknown(), value));
}

/** @throws {ModelError} `server` for an answer without any content that does not say why it stopped, or in a form of its own */
export function fromResponse(request: ModelRequest, answer: unknown): ModelResponse {
  const parsed = v.safeParse(bedrockResponse, answer, { abortEarly: true });
  if (!parsed.success) {
    throw unparsed(READING, faultIn(parsed.issues), answer);
  }
  const { output, stopReason: rawStopReason, usage } = parsed.output;
  const { content } = output.message;
  if (content.length === 0 && rawStopReason === '') {
    throw new ModelError('server', 'response contains no content', { spent: toSpent(toCounts(usage)) });
  }
  const isMade = content.some(({ toolUse }) => toolUse);
  if (rawStopReason.startsWith('malformed_') && !isMade) {
    throw unfinished(rawStopReason, toSpent(toCounts(usage)));
  }
  const stopReason = stopReasonOf(parsed.output);
  const text = content.map((block) => block.text).join('');
  const calls = toCalls(
    'bedrock',
    content.flatMap(({ toolUse }) =>
      toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input }] : [],
    ),
    endsEarly(stopReason) && Boolean(content.at(-1)?.toolUse),
  );
  return {
    text,
    calls,
    stopReason,
    rawStopReason,
    usage: toUsage(request, { text, calls }, toCounts(usage)),
    ...keepBlocks({ wire: 'bedrock', model: request.model }, content.flatMap(toStored), calls),
  };
}

/** A guardrail that masks a part of an answer stops nothing, although it says that it has intervened. */
function stopReasonOf({ output, stopReason, trace }: v.InferOutput<typeof bedrockResponse>): StopReason {
  const assessments = Object.values(trace?.guardrail?.outputAssessments ?? {}).flat();
  if (stopReason !== GUARDRAIL_INTERVENED || !hasOnlyMasked(assessments))
    return STOP_REASONS.get(stopReason) ?? 'other';
  return output.message.content.some(({ toolUse }) => toolUse) ? 'tool_calls' : 'end';
}

/** Only Claude signs what it thought, and wants it back; other models refuse unsigned blocks. */
function toStored({ text, toolUse, reasoningContent }: BedrockBlock): KeptBlock[] {
  if (toolUse) return [{ type: 'call' }];
  const { reasoningText, redactedContent = '' } = reasoningContent ?? {};
  if (redactedContent !== '') return [{ type: 'redacted', data: redactedContent }];
  if (reasoningText?.signature) return [{ type: 'thinking', ...reasoningText }];
  return isBlank(text) ? [] : [{ type: 'text', text }];
}

/** The cost of an answer that cannot be used. */
export function spentOn(answer: unknown): TokenUsage | 'unknown' {
  const parsed = v.safeParse(bedrockUsage, answer);
  return parsed.success ? toSpent(toCounts(parsed.output.usage)) : 'unknown';
}

/** The API's `inputTokens` are those that the cache had nothing to do with. */
function toCounts(usage: v.InferOutput<typeof bedrockResponse>['usage']): CountedUsage {
  const { cacheReadInputTokens: read = 0, cacheWriteInputTokens: written = 0 } = usage;
  return {
    inputTokens: usage.inputTokens === undefined ? undefined : usage.inputTokens + read + written,
    outputTokens: usage.outputTokens,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}

const READING = { apiKey: '', spentOn };

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['content_filtered', 'refusal'],
  ['end_turn', 'end'],
  [GUARDRAIL_INTERVENED, 'refusal'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool_calls'],
]);
