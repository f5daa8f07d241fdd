import * as v from 'valibot';

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
} as const;

export type ProblemStatus = keyof typeof TITLES;

/**
 * A problem as a client reads it (RFC 9457).
 * @public by way of the OpenAPI document
 */
export const ProblemDetails = v.object({
  type: v.literal('about:blank'),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: v.string(),
  errors: v.exactOptional(
    v.pipe(
      v.array(v.object({ field: v.string(), detail: v.string() })),
      v.description('What is wrong with the request, for each key of the body, parameter or header.'),
    ),
  ),
  id: v.exactOptional(v.pipe(v.string(), v.description('The id under which the log has the details.'))),
});
export type ProblemDetails = v.InferOutput<typeof ProblemDetails>;

/** Ends a request with a problem that the client can act on. `message` is for the client. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: ProblemStatus,
    detail: string,
    readonly errors: { field: string; detail: string }[] = [],
  ) {
    super(detail);
  }
}

/** A request with one thing wrong in it. */
export function badField(field: string, detail: string): Problem {
  return new Problem(400, `${field} ${detail}`, [{ field, detail }]);
}

/** A request for a path without a route, or for something that has gone. */
export function nothingAt(path: string): Problem {
  return new Problem(404, `there is no ${path} here`);
}

/** @param headers besides the content type */
export function toResponse(
  { status, message, errors }: Problem,
  more: { id?: string; headers?: Record<string, string> } = {},
): Response {
  const details: ProblemDetails = {
    type: 'about:blank',
    title: TITLES[status],
    status,
    detail: message,
    ...(errors.length > 0 && { errors }),
    ...(more.id !== undefined && { id: more.id }),
  };
  const headers = {
    // RFC 9110, 11.6.1
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...more.headers,
  };
  return new Response(JSON.stringify(details), { status, headers });
}
