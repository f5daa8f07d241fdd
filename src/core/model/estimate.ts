import type { ModelRequest } from './model.ts';
import { attachedTokens } from '../attachments/attached-tokens.ts';
import { BYTES_PER_TOKEN } from '../records/message-texts.ts';
import type { ToolCall } from '../records/message.ts';
import type { TokenUsage } from '../../token-usage.ts';
import { defined } from '../../defined.ts';

/** A provider's count; undefined if it gave none, or an impossible value. */
export type CountedUsage = {
  [Count in Exclude<keyof TokenUsage, 'isEstimate' | Few>]: TokenUsage[Count] | undefined;
} & { [Count in Few]?: TokenUsage[Count] | undefined };

/** What few providers say. */
type Few = 'cacheWrite1hTokens' | 'searches' | 'service';

/**
 * A provider's own counts, with estimates for missing ones. Zero counts as missing where there was something to count:
 * every prompt has tokens, and so has every answer that is not empty.
 */
export function toUsage(
  request: ModelRequest,
  answer: { text: string; calls: ToolCall[] },
  { inputTokens, outputTokens, ...others }: CountedUsage,
): TokenUsage {
  // The provider says which of the others it was.
  const beside = request.service === 'batch' ? { ...others, service: request.service } : others;
  const saysNothing = answer.text === '' && answer.calls.length === 0;
  const input = inputTokens || undefined;
  const output = saysNothing ? outputTokens : outputTokens || undefined;
  if (input !== undefined && output !== undefined) {
    return { inputTokens: input, outputTokens: output, ...counted(beside) };
  }
  const estimate = estimateUsage(request, answer);
  return {
    inputTokens: input ?? estimate.inputTokens + tokens(toolBytes(request)),
    outputTokens: output ?? estimate.outputTokens,
    ...counted(beside),
    isEstimate: true,
  };
}

/** The cost of an answer that cannot be used: the provider's counts, where it counted all of it. */
export function toSpent({ inputTokens, outputTokens, ...beside }: CountedUsage): TokenUsage | 'unknown' {
  if (!inputTokens || outputTokens === undefined) return 'unknown';
  return { inputTokens, outputTokens, ...counted(beside) };
}

type Beside = 'cacheReadTokens' | 'cacheWriteTokens' | Few;

function counted({
  cacheReadTokens,
  cacheWriteTokens,
  cacheWrite1hTokens,
  searches,
  service,
}: Pick<CountedUsage, Beside>) {
  return defined({
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: cacheWrite1hTokens || undefined,
    searches: searches || undefined,
    service,
  });
}

/**
 * Token counts where the provider gave none: an estimate by the bytes of all texts. Counts and limits need it; it is
 * never billed.
 */
export function estimateUsage(
  request: ModelRequest,
  answer: { text: string; calls: ToolCall[] },
): TokenUsage {
  const sent = request.messages.reduce((total, message) => {
    if (message.role === 'user') return total + bytes(message.text);
    if (message.role === 'assistant') return total + answerBytes(message);
    return total + message.results.reduce((sum, result) => sum + bytes(result.text), 0);
  }, bytes(request.system));
  return {
    inputTokens: tokens(sent) + attachedTokens(request.messages, request.showing),
    outputTokens: tokens(answerBytes(answer)),
  };
}

/** Tools and the schema of an answer, which providers put into the prompt. */
function toolBytes({ tools, outputSchema }: ModelRequest): number {
  const offered: object[] = [...tools, ...(outputSchema === undefined ? [] : [outputSchema])];
  return offered.reduce((total: number, one) => total + bytes(JSON.stringify(one)), 0);
}

function answerBytes(answer: { text: string; calls: ToolCall[] }): number {
  return answer.calls.reduce(
    (total, call) => total + bytes(call.name) + bytes(JSON.stringify(call.arguments)),
    bytes(answer.text),
  );
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function tokens(bytesOfText: number): number {
  return Math.ceil(bytesOfText / BYTES_PER_TOKEN);
}
