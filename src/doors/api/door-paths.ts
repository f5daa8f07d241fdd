/** Clients of OpenAI find everything below this. */
export const OPENAI_PATH = '/v1/';
/** Clients of the Model Context Protocol find all of it here. */
export const MCP_PATH = '/mcp';
