import { ModelError } from '../../../errors.ts';
import type { ModelRequest } from '../../../core/model/model.ts';

/**
 * Sends a request with the thoughts in its conversation, which are sealed by who served them: OpenAI and Azure read none
 * of each other's, nor does a resource of Azure those of another, and models that do not think take none. A request that
 * is refused for that is sent without them.
 * @throws {ModelError} as `post` does
 */
export async function sendSealed<Answer>(
  request: ModelRequest,
  post: (request: ModelRequest) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await post(request);
  } catch (error) {
    if (!isAboutSeal(error)) throw error;
    const messages = request.messages.map((message) => ({ ...message, providerContent: undefined }));
    return post({ ...request, messages });
  }
}

/**
 * "The encrypted content for item rs_1 could not be verified", or "Reasoning input items can only be provided to a reasoning
 * or computer use model".
 */
function isAboutSeal(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    error.details.status === 400 &&
    /\b(encrypted content|reasoning input items)\b/i.test(error.message)
  );
}
