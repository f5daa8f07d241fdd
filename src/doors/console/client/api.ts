import type { ProblemDetails } from '../../api/problem.ts';
import { renewSession } from './renew-session.ts';
import { storedSession } from './session.ts';

/**
 * The HTTP API of the server that this page came from. Paths are relative to the page's own, so that it works behind a
 * prefix, too.
 */

type FieldError = NonNullable<ProblemDetails['errors']>[number];

/** The API's answer when it refuses or fails (RFC 9457). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What is wrong with each field of the request, if the server says. */
  readonly errors: readonly FieldError[];

  /** @param status `NO_ANSWER` where there was none */
  constructor(status: number, message: string, errors: readonly FieldError[] = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }

  /** Whether no server has answered, which is said above the whole page. */
  get isLost(): boolean {
    return this.status === NO_ANSWER;
  }

  /** Whether trying again changes nothing: the server is there, and not too busy. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}

/** @param path without a slash in front: `runs?limit=20` */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return json(await request(path, { ...(signal && { signal }) }));
}

/** @throws {ApiError} also for actions that the state of a run does not allow, with a message for people */
export async function post<T>(
  path: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<T> {
  const sent = { 'content-type': 'application/json', ...headers };
  return json(await request(path, { method: 'POST', headers: sent, body: JSON.stringify(body) }));
}

/** Any request, with the token if there is one. @throws {ApiError} for an error response */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const token = storedSession()?.token;
  let response = await send(path, init);
  // The person may have signed in again since it was sent.
  const isRenewed = async () => storedSession()?.token !== token || renewSession();
  if (response.status === 401 && (await isRenewed())) response = await send(path, init);
  if (response.status === 401) for (const listener of refused) listener(isIn);
  else isIn = true;
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  const session = storedSession();
  if (session !== undefined) headers.set('authorization', `Bearer ${session.token}`);
  try {
    const response = await fetch(path, { ...init, headers });
    tellConnected(true);
    return response;
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    tellConnected(false);
    throw new ApiError(NO_ANSWER, LOST);
  }
}

/** Whether the server has let this page in since it was loaded. */
let isIn = false;

const refused = new Set<(wasIn: boolean) => void>();

/**
 * Calls the listener whenever the server wants a token, or another one.
 * @param listener told whether the page had been let in before: then a person may be in the middle of something
 * @returns a function that ends that
 */
export function onRefused(listener: (wasIn: boolean) => void): () => void {
  refused.add(listener);
  return () => void refused.delete(listener);
}

let isConnected = true;
const connections = new Set<(isConnected: boolean) => void>();

/** Calls the listener when the server no longer answers, and when it does again. @returns a function that ends that */
export function onConnection(listener: (isConnected: boolean) => void): () => void {
  connections.add(listener);
  return () => void connections.delete(listener);
}

/** @param now whether the server has just answered */
export function tellConnected(now: boolean): void {
  if (isConnected === now) return;
  isConnected = now;
  for (const listener of connections) listener(now);
}

const NO_ANSWER = 0;

/** The error of a request that no server has answered; the page says so once, for all of them. */
export const LOST = 'the server does not answer';

/** Both sides take their types from one schema, so nothing is checked here. */
async function json<T>(response: Response): Promise<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server sends what src/doors/api/answers.ts declares
  return (await response.json()) as T;
}

async function problemOf(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  // A gateway in between may answer something else.
  const problem = await json<Partial<ProblemDetails> | null>(response).catch(() => undefined);
  const { detail, errors } = problem ?? {};
  if (typeof detail !== 'string') return new ApiError(status, `the server answered ${status} ${statusText}`);
  return new ApiError(status, detail, Array.isArray(errors) ? errors : []);
}
