import type { ReasoningEffort } from '../../core/records/message.ts';
import { toRequest as toAnthropic } from '../../providers/anthropic/to-request.ts';
import { toRequest as toBedrock } from '../../providers/bedrock/to-request.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { parseModelName, type ProtocolName } from '../../core/model/model-name.ts';
import { toRequest as toOllama } from '../../providers/ollama/to-request.ts';
import { toRequest as toOpenAI } from '../../providers/openai/responses/to-request.ts';

/** The parameters that a provider's API gets besides the conversation; absent ones are not sent. */
export interface SentParameters {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  reasoningEffort?: ReasoningEffort | undefined;
}

/** Read from the requests themselves, whose parameters do not depend on the conversation. */
const READERS: Record<ProtocolName, (request: ModelRequest) => SentParameters> = {
  anthropic: (request) => {
    const { temperature, max_tokens, thinking, output_config } = toAnthropic(request);
    const isTold = thinking !== undefined || output_config !== undefined;
    return { temperature, maxTokens: max_tokens, ...(isTold && wished(request)) };
  },
  bedrock: (request) => {
    const { inferenceConfig, additionalModelRequestFields } = toBedrock(request);
    return { ...inferenceConfig, ...(additionalModelRequestFields !== undefined && wished(request)) };
  },
  offline: () => ({}),
  ollama: (request) => {
    const { temperature, num_predict } = toOllama(request).options ?? {};
    return { temperature, maxTokens: num_predict };
  },
  // Its other API takes the same ones.
  openai: (request) => {
    const { temperature, max_output_tokens, reasoning } = toOpenAI(request);
    return { temperature, maxTokens: max_output_tokens, reasoningEffort: reasoning?.effort };
  },
  scripted: () => ({}),
};

/** In the agent's words: each API has its own. */
function wished({ reasoningEffort }: ModelRequest): SentParameters {
  return { reasoningEffort };
}

/**
 * The parameters that a model is really sent.
 * @param fullName `provider/model-name`
 * @param params as an agent sets them
 */
export function sentParameters(
  fullName: string,
  params: Pick<ModelRequest, 'temperature' | 'maxTokens' | 'reasoningEffort' | 'api'>,
): SentParameters {
  const { provider, name } = parseModelName(fullName);
  const readers = new Map<string, (request: ModelRequest) => SentParameters>(Object.entries(READERS));
  // All others speak OpenAI's protocol.
  const read = readers.get(provider) ?? READERS.openai;
  return read({ model: name, system: '', messages: [], tools: [], ...params });
}
