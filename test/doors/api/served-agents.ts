import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import * as v from 'valibot';
import type { AgentSource } from '../../../src/core/agent-schema/agent-source.ts';
import { OPERATIONS, type Operation } from '../../../src/doors/api/operations.ts';
import { ProblemDetails } from '../../../src/doors/api/problem.ts';
import { folderContext, openingsIn, servedNotices } from '../../../src/doors/api/folder-context.ts';
import { accessTo } from '../../../src/doors/api/local-access.ts';
import type { GuardedServer } from '../../../src/doors/api/guarded-server.ts';
import { startLocalServer } from '../../../src/doors/api/local-server.ts';
import type { ScheduleClock } from '../../../src/authoring/schedule/follow-schedules.ts';
import type { NotifySettings } from '../../../src/places/notify/settings.ts';
import type { SignIns } from '../../../src/places/sign-ins.ts';
import { defined } from '../../../src/defined.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { openStage, openStageIn, type Role, type Stage } from '../../fixtures/stage.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface Asking {
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** The settings of `cadre serve`, by options and by the environment. */
export interface Setting {
  host?: string;
  token?: string;
  models?: string[];
  /** The folder of the page's files. */
  page?: string;
  /** Where people are told of questions. */
  notify?: NotifySettings;
  /** Where callers sign in to servers. */
  signIns?: SignIns;
  /** Of the functions that agents have; absent: that of AWS. */
  lambdaEndpoint?: string;
}

export interface Served {
  stage: Stage;
  server: GuardedServer;
  /** The server's words to people, without its lines for requests, which are apart. */
  told: string[];
  requests: string[];
  get(path: string): Promise<Answer>;
  post(path: string, asking?: Asking): Promise<Answer>;
  /** Any request; the answer is held against the documented one. */
  ask(method: string, path: string, asking?: Asking): Promise<Answer>;
}

/** The events of AG-UI of a run that answers at once. */
export const ONE_TURN = [
  'RUN_STARTED',
  'STEP_STARTED',
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CONTENT',
  'TEXT_MESSAGE_END',
  'CUSTOM',
  'STEP_FINISHED',
  'RUN_FINISHED',
];

/** Time goes by on its own, and nothing comes due. */
export const wallClock: ScheduleClock = {
  now: () => Date.now(),
  sleepUntil: (_time, signal) => aborted(signal),
};

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Agents behind `cadre serve`, on a free port of the loopback interface. */
export async function serveAgents(
  roles: Record<string, Role>,
  extra: Record<string, string> = {},
  files: Record<string, string> = {},
  clock: ScheduleClock = wallClock,
  setting: Setting = {},
): Promise<Served> {
  return serveStage(
    await openStage(
      roles,
      extra,
      files,
      defined({ notify: setting.notify, lambdaEndpoint: setting.lambdaEndpoint }),
    ),
    clock,
    setting,
  );
}

/** A second server in the folder of another. */
export async function serveAgentsIn(
  cwd: string,
  roles: Record<string, Role>,
  clock: ScheduleClock = wallClock,
): Promise<Served> {
  return serveStage(await openStageIn(cwd, roles), clock);
}

async function serveStage(
  stage: Stage,
  clock: ScheduleClock,
  { host = '127.0.0.1', token, models = [], page, signIns }: Setting = {},
): Promise<Served> {
  const told: string[] = [];
  const requests: string[] = [];
  const source = foldersIn(stage.cwd);
  const tell = (line: string) => void (REQUEST.test(line) ? requests : told).push(line);
  stage.onEvent(servedNotices(tell));
  const access = await accessTo(host, token);
  const server = await startLocalServer({
    folder: stage.environment,
    source,
    access,
    port: 0,
    ...(page !== undefined && { page }),
    models,
    openings: openingsIn(stage.cwd),
    ...(signIns !== undefined && { signIns: async () => signIns }),
    clock,
    takesUp: true,
    tell,
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(close);

  async function ask(method: string, path: string, { json, body, headers = {} }: Asking = {}) {
    const response = await fetch(server.url + path, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
    });
    const answer = {
      status: response.status,
      headers: response.headers,
      body: v.parse(v.record(v.string(), v.unknown()), await response.json()),
    };
    expectDocumented(method, path, answer);
    return answer;
  }

  return {
    stage,
    server: { ...server, close },
    told,
    requests,
    get: (path) => ask('GET', path),
    post: (path, asking) => ask('POST', path, asking),
    ask,
  };
}

function foldersIn(cwd: string): AgentSource {
  return openAgentFolders({ cwd, env: { XDG_CONFIG_HOME: `${cwd}/no-config` } });
}

/** The context of doors to agents with these roles. */
export async function contextOf(roles: Record<string, Role>, extra: Record<string, string> = {}) {
  const { environment, pipeline, cwd } = await openStage(roles, extra);
  const source = foldersIn(cwd);
  const context = folderContext({ environment, source, models: [], now: Date.now, tell: () => {} });
  return { context, cwd, pipeline };
}

const REQUEST = /^\S+ [A-Z]+ \/\S* (\d{3}|closed by the client) \d+ ms$/;

/** The answer is one that the OpenAPI document tells of, and holds nothing else. */
function expectDocumented(method: string, path: string, { status, headers, body }: Answer): void {
  const operation = Object.values<Operation>(OPERATIONS).find(
    (candidate) =>
      candidate.method === method.toLowerCase() &&
      new RegExp(`^${candidate.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
  );
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.has('access-control-allow-origin')).toBe(false);
  if (status >= 400) {
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(v.parse(ProblemDetails, body)).toEqual(body);
    expect(body['status']).toBe(status);
    const anywhere = operation === undefined ? [401, 403, 404, 405] : [400, 401, 403, 500, 503];
    expect([...anywhere, ...(operation?.problems ?? [])]).toContain(status);
    return;
  }
  expect(headers.get('content-type')).toBe('application/json');
  const schema = operation?.answers[status]?.schema;
  expect(operation?.answers).toHaveProperty(String(status));
  if (schema !== undefined) expect(v.parse(schema, body)).toEqual(body);
}

/** The problem that the API answers. */
export function problem(status: number, title: string, detail: unknown, errors?: unknown[]) {
  return { type: 'about:blank', title, status, detail, ...(errors && { errors }) };
}
