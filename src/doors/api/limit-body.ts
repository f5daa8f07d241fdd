import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { MAX_ATTACHED_BYTES } from '../../core/records/attachment.ts';
import { Problem } from './problem.ts';

/** More than this is no prompt: no model reads it. */
export const MAX_BODY_BYTES = 1024 ** 2;

/** Refuses bodies that are longer, with a problem. */
export function limitBody(): MiddlewareHandler {
  const [usual, ofFiles] = [limitTo(MAX_BODY_BYTES), limitTo(MAX_ATTACHED_BYTES)];
  // Only files are put.
  return (c, next) => (c.req.method === 'PUT' ? ofFiles : usual)(c, next);
}

function limitTo(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw tooLong(maxSize);
    },
  });
}

/**
 * The same for a door whose requests contain files in base64: only such requests may be longer.
 * @param marks the text in front of a file, which a body with files contains
 */
export function limitBodyWithFiles(...marks: string[]): MiddlewareHandler {
  const most = limitTo(Math.ceil((MAX_ATTACHED_BYTES * 4) / 3) + MAX_BODY_BYTES);
  return (c, next) =>
    most(c, async () => {
      const body = Buffer.from(await c.req.arrayBuffer());
      const hasFiles = marks.some((mark) => body.includes(mark));
      if (body.length > MAX_BODY_BYTES && !hasFiles) throw tooLong(MAX_BODY_BYTES);
      await next();
    });
}

function tooLong(most: number): Problem {
  return new Problem(413, `the body must have at most ${most} bytes`);
}
