import { ModelError } from '../../../errors.ts';
import type { ChatCompletionRequest } from './wire.ts';

/** Servers, with their models, that have refused an answer without its thoughts since this process began. */
const wanting = new Set<string>();

/**
 * Sends a request with the thoughts in its conversation. DeepSeek and Moonshot refuse an answer that has none, also where
 * another model gave it, or the model did not think; a blank in their place will do (an empty text will not, for Moonshot).
 * @throws {ModelError} as `post` does
 */
export async function sendWithThoughts<Answer>(
  baseUrl: string,
  request: ChatCompletionRequest,
  post: (request: ChatCompletionRequest) => Promise<Answer>,
): Promise<Answer> {
  const server = JSON.stringify([baseUrl, request.model]);
  if (wanting.has(server)) return post(filled(request));
  try {
    return await post(request);
  } catch (error) {
    if (!isAboutThoughts(error)) throw error;
    wanting.add(server);
    return post(filled(request));
  }
}

function filled({ messages, ...request }: ChatCompletionRequest): ChatCompletionRequest {
  return {
    ...request,
    messages: messages.map((message) =>
      message.role === 'assistant' ? { reasoning_content: ' ', ...message } : message,
    ),
  };
}

/** "The `reasoning_content` in the thinking mode must be passed back", or "is missing in assistant tool call message". */
function isAboutThoughts(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    error.details.status === 400 &&
    /\breasoning_content\b.*\b(must be passed back|is missing)\b/i.test(error.message)
  );
}
