export interface Route {
  method: 'get' | 'post' | 'put';
  /** With parameters in braces, as OpenAPI has it. */
  path: string;
}

/**
 * Every route, by name. Each route's parameters and answers are in operations.ts, which no function has to read when it
 * starts.
 */
export const ROUTES = {
  listAgents: { method: 'get', path: '/agents' },
  getAgent: { method: 'get', path: '/agents/{name}' },
  startRun: { method: 'post', path: '/agents/{name}/runs' },
  runAgUi: { method: 'post', path: '/agents/{name}/ag-ui' },
  placeAttachment: { method: 'post', path: '/attachments' },
  putAttachment: { method: 'put', path: '/attachments/{hash}' },
  getAttachment: { method: 'get', path: '/runs/{id}/attachments/{hash}' },
  listRuns: { method: 'get', path: '/runs' },
  getCosts: { method: 'get', path: '/costs' },
  listEvals: { method: 'get', path: '/evals' },
  getRun: { method: 'get', path: '/runs/{id}' },
  getTree: { method: 'get', path: '/runs/{id}/tree' },
  getTreeEvents: { method: 'get', path: '/runs/{id}/tree/events' },
  getMessages: { method: 'get', path: '/runs/{id}/messages' },
  getWritingEvents: { method: 'get', path: '/runs/{id}/writing/events' },
  getChanges: { method: 'get', path: '/runs/{id}/changes' },
  getResult: { method: 'get', path: '/runs/{id}/result' },
  getEvents: { method: 'get', path: '/runs/{id}/events' },
  stopRun: { method: 'post', path: '/runs/{id}/stop' },
  killRun: { method: 'post', path: '/runs/{id}/kill' },
  forkRun: { method: 'post', path: '/runs/{id}/fork' },
  addBudget: { method: 'post', path: '/runs/{id}/budget' },
  resumeRun: { method: 'post', path: '/runs/{id}/resume' },
  sendMessage: { method: 'post', path: '/runs/{id}/messages' },
  listQuestions: { method: 'get', path: '/questions' },
  getQuestion: { method: 'get', path: '/runs/{id}/questions/{question}' },
  answerQuestion: { method: 'post', path: '/runs/{id}/questions/{question}/answer' },
  listServers: { method: 'get', path: '/servers' },
  connectServer: { method: 'post', path: '/servers/{id}/connect' },
  disconnectServer: { method: 'post', path: '/servers/{id}/disconnect' },
  completeSignIn: { method: 'post', path: '/servers/callback' },
  getHealth: { method: 'get', path: '/health' },
  getOpenApi: { method: 'get', path: '/openapi.json' },
} as const satisfies Record<string, Route>;

/** Those at which clients follow runs for as long as they like. */
export const EVENT_ROUTES = ['getEvents', 'getTreeEvents', 'getWritingEvents'] as const;

/** The path as hono has it: `/runs/:id`. */
export function patternOf({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
