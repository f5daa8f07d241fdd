import type { MiddlewareHandler } from 'hono';

/** Answers are what their content type says: a browser that guesses may take a model's text for a page. */
export const noSniffing: MiddlewareHandler = async (c, next) => {
  await next();
  // `c.header` would copy an existing response, in each application that it passes.
  c.res.headers.set('x-content-type-options', 'nosniff');
};
