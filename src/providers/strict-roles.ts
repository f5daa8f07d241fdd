import { ModelError } from '../errors.ts';

/** A server that may be strict about the order of roles: Mistral's is, and so are the templates of some models. */
export interface RolesOfServer {
  baseUrl: string;
  /** Whether it is known to refuse a user's message after the results of tools. */
  strictRoles?: boolean;
}

/** Base URLs of the servers that have refused such a message since this process began. */
const strictServers = new Set<string>();

/**
 * Sends a request in the order of roles that its server takes. One that is refused for that order is sent once more in
 * the strict one, if that makes a difference, and the server gets nothing else from then on.
 * @param toRequest the request in either order
 * @throws {ModelError} as `post` does
 */
export async function sendInOrder<Request extends { messages: readonly unknown[] }, Answer>(
  { baseUrl, strictRoles = false }: RolesOfServer,
  toRequest: (strictRoles: boolean) => Request,
  post: (request: Request) => Promise<Answer>,
): Promise<Answer> {
  const isStrict = strictRoles || strictServers.has(baseUrl);
  const request = toRequest(isStrict);
  try {
    return await post(request);
  } catch (error) {
    if (isStrict || !isAboutRoles(error)) throw error;
    const strict = toRequest(true);
    if (strict.messages.length === request.messages.length) throw error;
    strictServers.add(baseUrl);
    return post(strict);
  }
}

/** As Mistral, mistral-common, and templates behind vLLM, llama.cpp, LM Studio or Ollama put it. */
const ABOUT_ROLES = /\broles? must alternate|\bunexpected role\b|\bexpected last role\b/i;

/** The status is 400, except from llama.cpp, which answers 500 where a template refuses. */
function isAboutRoles(error: unknown): boolean {
  return error instanceof ModelError && error.details.status !== undefined && ABOUT_ROLES.test(error.message);
}
