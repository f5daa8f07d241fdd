import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { ModelError } from '../../errors.ts';
import type { Model, ModelRequest } from '../../core/model/model.ts';
import type { Message, ModelResponse } from '../../core/records/message.ts';
import { GUARDRAIL_INTERVENED } from '../../core/records/turn.ts';
import { hasOnlyMasked } from './assessments.ts';
import { openClient, type BedrockAccess } from './client.ts';
import { fromSdkError } from './sdk-error.ts';

/** The text units that one request may have by default are 25, of up to 1,000 characters (Amazon Bedrock, "Quotas"). */
const MAX_CHARACTERS = 25_000;

/** Where it masks what is read, the guardrail has no words of its own for an answer. */
const NOT_MASKED =
  'The guardrail would mask a part of what the model was to read, which cannot be done here.';

/**
 * Holds a model to a guardrail of Bedrock: what it is to read of users and tools is looked at before it is asked, and
 * what it says before anybody else reads it. Models on Bedrock have this done there with each request, but for the
 * results of tools (https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use-converse-api.html): of these, the
 * new ones are looked at here.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html
 */
export function guarded(model: Model, access: BedrockAccess, isOnBedrock: boolean): Model['send'] {
  let client: BedrockRuntimeClient | undefined;

  /** @returns what stands in place of the text, if it may not stay; and whether that is all that is left of it */
  async function apply(
    { guardrail }: ModelRequest,
    source: 'INPUT' | 'OUTPUT',
    text: string,
    signal: AbortSignal,
  ): Promise<{ text: string; isBlocked: boolean } | undefined> {
    if (guardrail === undefined || text.trim() === '') return undefined;
    client ??= await openClient(access);
    const { ApplyGuardrailCommand } = await import('@aws-sdk/client-bedrock-runtime');
    let said = '';
    let hasIntervened = false;
    for (let at = 0; at < text.length; at += MAX_CHARACTERS) {
      const part = text.slice(at, at + MAX_CHARACTERS);
      const command = new ApplyGuardrailCommand({
        guardrailIdentifier: guardrail.id,
        guardrailVersion: guardrail.version,
        source,
        content: [{ text: { text: part } }],
      });
      const { action, outputs = [], assessments } = await client.send(command, { abortSignal: signal });
      if (action === 'NONE') {
        said += part;
        continue;
      }
      const shown = outputs.map((output) => output.text ?? '').join('');
      if (!hasOnlyMasked(assessments)) return { text: shown, isBlocked: true };
      hasIntervened = true;
      said += shown;
    }
    return hasIntervened ? { text: said, isBlocked: false } : undefined;
  }

  return async (request, signal, onDelta) => {
    try {
      const read = isOnBedrock ? newResults(request.messages) : request.messages;
      const input = await apply(request, 'INPUT', textsIn(read), signal);
      // Older messages are sent again and again as they are, so that nothing can be masked in them.
      if (input !== undefined) {
        return blocked(input.isBlocked ? input.text : NOT_MASKED, { inputTokens: 0, outputTokens: 0 });
      }
    } catch (thrown) {
      throw fromSdkError(thrown, signal);
    }
    const answer = await model.send(request, signal, onDelta);
    if (isOnBedrock) return answer;
    try {
      const output = await apply(request, 'OUTPUT', answer.text, signal);
      if (output === undefined) return answer;
      if (output.isBlocked) return blocked(output.text, answer.usage);
      const { providerContent: _, ...rest } = answer;
      return { ...rest, text: output.text };
    } catch (thrown) {
      const error = fromSdkError(thrown, signal);
      if (!(error instanceof ModelError)) throw error;
      const [, detail = ''] = /^\w+: (.*)$/s.exec(error.message) ?? [];
      throw new ModelError(error.category, detail, { ...error.details, spent: answer.usage });
    }
  };
}

/** The results of the newest calls. */
function newResults(messages: readonly Message[]): readonly Message[] {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  return since.filter(({ role }) => role === 'tool');
}

function textsIn(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => {
      if (message.role === 'user') return [message.text];
      return message.role === 'tool' ? message.results.map(({ text }) => text) : [];
    })
    .join('\n\n');
}

function blocked(text: string, usage: ModelResponse['usage']): ModelResponse {
  return { text, calls: [], stopReason: 'refusal', rawStopReason: GUARDRAIL_INTERVENED, usage };
}
