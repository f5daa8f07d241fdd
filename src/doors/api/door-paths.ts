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
/** Clients of Agent2Agent find each agent below this, and its card below that. */
export const A2A_PATH = '/a2a';
/** A card, below the path of its agent or of the server. */
export const CARD_PATH = '/.well-known/agent-card.json';
/** Whatever one of these fits goes to a door, as hono has it. */
export const DOOR_PATTERNS = [MCP_PATH, `${OPENAI_PATH}*`, `${A2A_PATH}/*`, CARD_PATH];
