import type { MiddlewareHandler } from 'hono';

/** Answers are what their content type says: a browser that guesses may take the text of a model for a page. */
export const noSniffing: MiddlewareHandler = async (c, next) => {
  await next();
  // `c.header` would make another response of the one that is there, in each application that it passes.
  c.res.headers.set('x-content-type-options', 'nosniff');
};
