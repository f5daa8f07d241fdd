/** Clients of OpenAI find everything below this. */
export const OPENAI_PATH = '/v1/';
/** People with an answer link find one question here, as hono has it. */
export const ANSWER_PATH = '/answer/:token';
/** A path as a log may have it: without the secret of an answer link. */
export function loggedPath(path: string): string {
  return path.replace(/^\/answer\/.*/, '/answer/…');
}
/** Clients of the Model Context Protocol find all of it here. */
export const MCP_PATH = '/mcp';
