import { createApi } from '../../../../src/doors/api/api.ts';
import type { AgentsContext } from '../../../../src/doors/api/context.ts';
import { createDoors } from '../../../../src/doors/api/doors.ts';
import { openingsIn } from '../../../../src/doors/api/folder-context.ts';
import { takingTokens } from '../../../../src/doors/api/token-doors.ts';
import type { DoorTokens } from '../../../../src/places/aws/variables.ts';
import { openAgentFolders } from '../../../../src/authoring/loading/folders/agent-folders.ts';
import { openStage, type Role, type Stage } from '../../../fixtures/stage.ts';

/** Two persons with tokens, one who administers, and a principal of the account. */
export const CALLERS = {
  ada: bearer('ada', 'openid cadre/answer'),
  bob: bearer('bob', 'openid cadre/answer'),
  admin: bearer('root', 'openid cadre/admin cadre/answer'),
  account: { iam: { userArn: 'arn:aws:iam::123456789012:user/somebody' } },
};
export type Caller = keyof typeof CALLERS;

/** The authorizer's part of an event of API Gateway. */
export function bearer(sub: string, scope = 'openid') {
  return { jwt: { claims: { iss: 'https://login.example.org', sub, scope }, scopes: null } };
}

export interface Reply {
  status: number;
  text: string;
}

export interface Doors {
  stage: Stage;
  /** A request to the API. */
  ask(
    who: Caller | object,
    method: string,
    path: string,
    json?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** The same to the doors for other protocols. */
  knock(who: Caller | object, path: string, json: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Starts a run and waits until it rests. @returns its id */
  started(who: Caller, agent: string, body?: object): Promise<string>;
  /** The doors as they are deployed where they check tokens themselves. */
  guarded(tokens: DoorTokens): (request: Request) => Promise<Response>;
  /** The doors of the same environment when it takes the tokens of another issuer. */
  under(issuer: string): Doors;
}

export const ISSUER = 'https://login.example.org';

/** The doors of an environment whose API takes tokens, over agents on the local pipeline. */
export async function openDoors(
  roles: Record<string, Role>,
  extra: Record<string, string>,
  more: Partial<AgentsContext> = {},
): Promise<Doors> {
  return doorsOf(await openStage(roles, extra), ISSUER, more);
}

function doorsOf(stage: Stage, issuer: string, more: Partial<AgentsContext> = {}): Doors {
  const { cwd, environment } = stage;
  const context: AgentsContext = {
    environment,
    source: openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }),
    models: [],
    streams: true,
    issuer,
    adminScopes: ['cadre/admin'],
    answerScopes: ['cadre/answer'],
    openings: openingsIn(cwd),
    now: Date.now,
    log: ({ thrown }) => {
      throw thrown;
    },
    ...more,
  };
  const [api, doors] = [createApi(context), createDoors(context)];
  const envOf = (who: Caller | object, routeKey: string) => {
    const authorizer = typeof who === 'string' ? CALLERS[who] : who;
    return { event: { routeKey, requestContext: { authorizer } } };
  };
  const requestOf = (method: string, path: string, json: unknown, headers: Record<string, string> = {}) =>
    new Request(`https://api.example.org${path}`, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(json !== undefined && { body: json instanceof Uint8Array ? json : JSON.stringify(json) }),
    });
  const replyOf = async (response: Response) => ({ status: response.status, text: await response.text() });

  const ask: Doors['ask'] = async (who, method, path, json, headers) => {
    const [route = ''] = path.split('?');
    // As API Gateway names the routes that are permissions of their own.
    const key = route
      .replace(/^\/runs\/[^/]+/, '/runs/{id}')
      .replace(/questions\/[^/]+/, 'questions/{question}');
    return replyOf(await api.fetch(requestOf(method, path, json, headers), envOf(who, `${method} ${key}`)));
  };

  return {
    stage,
    ask,
    knock: async (who, path, json, headers) =>
      replyOf(await doors.fetch(requestOf('POST', path, json, headers), envOf(who, '$default'))),
    async started(who, agent, body = {}) {
      const { text } = await ask(who, 'POST', `/agents/${agent}/runs?wait=25`, body);
      return JSON.parse(text).run_id;
    },
    guarded(tokens) {
      const guarded = takingTokens(doors, tokens, context);
      return async (request) => guarded.fetch(request);
    },
    under: (other) => doorsOf(stage, other),
  };
}
