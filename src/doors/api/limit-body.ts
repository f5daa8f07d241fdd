import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { MAX_ATTACHED_BYTES } from '../../core/records/attachment.ts';
import { Problem } from './problem.ts';

/** More than this is no prompt: no model reads it. */
export const MAX_BODY_BYTES = 1024 ** 2;

/** The same for doors whose requests hold files themselves, in base64. */
export const MAX_BODY_WITH_FILES = Math.ceil((MAX_ATTACHED_BYTES * 4) / 3) + MAX_BODY_BYTES;

/** Refuses bodies that are longer, with a problem. @param most of a body that is no file */
export function limitBody(most = MAX_BODY_BYTES): MiddlewareHandler {
  const [usual, ofFiles] = [limitTo(most), limitTo(MAX_ATTACHED_BYTES)];
  // Only files are put.
  return (c, next) => (c.req.method === 'PUT' ? ofFiles : usual)(c, next);
}

function limitTo(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new Problem(413, `the body must have at most ${maxSize} bytes`);
    },
  });
}
