import type { MiddlewareHandler } from 'hono';

/** Answers are what their content type says: a browser that guesses may take the text of a model for a page. */
export const noSniffing: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('x-content-type-options', 'nosniff');
};
