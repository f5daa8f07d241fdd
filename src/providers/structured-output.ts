import { ModelError } from '../errors.ts';
import type { ModelResponse } from '../core/records/message.ts';
import { fromAnswerTool, withAnswerTool } from './answer-tool.ts';
import type { ModelRequest } from '../core/model/model.ts';

/** The requests that servers have refused since this process began for the mode that an answer with a schema has. */
const refused = new Set<string>();

/**
 * Sends a request whose answer may have a schema: in the API's own mode for that, or by way of a tool where it has
 * none. Support for schemas among models and servers changes too often to be listed here, so a request that is refused
 * for its schema is sent once more in the other way, and later requests only in that way.
 * @param server the address of the API
 * @param hasMode whether the API is taken to have such a mode for this request
 * @param send reads `outputSchema` as that mode
 * @throws {ModelError} as `send` does
 */
export async function sendStructured(
  server: string,
  request: ModelRequest,
  hasMode: boolean,
  send: (request: ModelRequest) => Promise<ModelResponse>,
): Promise<ModelResponse> {
  if (request.outputSchema === undefined) return send(request);
  const id = JSON.stringify([server, request.model, request.outputSchema, request.tools.length > 0]);
  if (hasMode && !refused.has(id)) {
    try {
      return await send(request);
    } catch (error) {
      if (!isAboutSchema(error)) throw error;
      refused.add(id);
    }
  }
  return fromAnswerTool(await send(withAnswerTool(request)));
}

/** The names of the mode in APIs' error messages; Gemini, behind OpenAI's protocol, names the type of the answer. */
const ABOUT_SCHEMA =
  /schema|structured|response[_ ]format|output[_ ]?(config|format)|text\.format|mime type/i;

function isAboutSchema(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false;
  const { status } = error.details;
  return (status === 400 || status === 422) && ABOUT_SCHEMA.test(error.message);
}
