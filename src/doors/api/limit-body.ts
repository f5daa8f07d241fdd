import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Problem } from './problem.ts';

/** More than this is no prompt: no model reads it. */
export const MAX_BODY_BYTES = 1024 ** 2;

/** Refuses bodies that are longer, with a problem. */
export function limitBody(): MiddlewareHandler {
  return bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new Problem(413, `the body must have at most ${MAX_BODY_BYTES} bytes`);
    },
  });
}
