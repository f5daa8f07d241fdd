import type { ConverseCommandOutput } from '@aws-sdk/client-bedrock-runtime';
import { ModelError } from '../../errors.ts';
import { toCalls } from '../calls.ts';
import type { ModelResponse, StopReason } from '../model.ts';

/**
 * The SDK takes what comes as it comes, so anything may be missing; content that is neither text nor a call (reasoning,
 * for one) is passed over.
 * @throws {ModelError} `server` for an answer without any content
 */
export function fromResponse({ output, stopReason: raw, usage }: Answer): ModelResponse {
  const rawStopReason = raw ?? '';
  const content = output?.message?.content ?? [];
  if (content.length === 0) throw new ModelError('server', 'response contains no content');
  return {
    text: content.map((block) => block.text ?? '').join(''),
    calls: toCalls(
      'bedrock',
      content.flatMap(({ toolUse }) =>
        toolUse === undefined
          ? []
          : [{ id: toolUse.toolUseId, name: toolUse.name ?? '', arguments: toolUse.input }],
      ),
    ),
    stopReason: STOP_REASONS.get(rawStopReason) ?? 'other',
    rawStopReason,
    usage: { inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 },
  };
}

/** What is read of an answer. */
type Answer = Pick<ConverseCommandOutput, 'output' | 'stopReason' | 'usage'>;

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['content_filtered', 'refusal'],
  ['end_turn', 'end'],
  ['guardrail_intervened', 'refusal'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool_calls'],
]);
