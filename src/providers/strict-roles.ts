import { ModelError } from '../errors.ts';

/**
 * A server that may be strict about the order of roles, and the form of ids: Mistral's is, and so are the templates of some
 * models.
 */
export interface RolesOfServer {
  baseUrl: string;
  /** Whether it is known to refuse a user's message after the results of tools. */
  strictRoles?: boolean;
}

/** Base URLs of the servers that have refused such a message since this process began. */
const strictServers = new Set<string>();

/**
 * Sends a request in the form that its server takes. One that is refused for the order of roles, or for an id, is sent once
 * more in the strict form, if that makes a difference, and the server gets nothing else from then on.
 * @param toRequest the request in either form
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
    const isAboutIds = isRefusal(error, ABOUT_IDS);
    if (isStrict || !(isAboutIds || isRefusal(error, ABOUT_ROLES))) throw error;
    const strict = toRequest(true);
    if (!isAboutIds && strict.messages.length === request.messages.length) throw error;
    strictServers.add(baseUrl);
    return post(strict);
  }
}

/** As Mistral, mistral-common, and templates behind vLLM, llama.cpp, LM Studio or Ollama put it. */
const ABOUT_ROLES = /\broles? must alternate|\bunexpected role\b|\bexpected last role\b/i;

/** As Mistral and its templates put it. */
const ABOUT_IDS = /\btool call ids?\b.*\blength\b/i;

/** The status is 400, except from llama.cpp, which answers 500 where a template refuses. */
function isRefusal(error: unknown, about: RegExp): boolean {
  return error instanceof ModelError && error.details.status !== undefined && about.test(error.message);
}
