import { join } from 'node:path';
import { handle } from 'hono/aws-lambda';
import type { Hono } from 'hono/tiny';
import { createApi } from '../src/doors/api/api.ts';
import { ANSWER_PATH } from '../src/doors/api/door-paths.ts';
import { functionContext } from '../src/doors/api/cloud-context.ts';
import {
  ANSWER_LINKS,
  ENVIRONMENT,
  LOGINS_SECRET,
  PAGE_FOLDER,
  PAGE_PATHS,
  SIGN_IN_PATHS,
} from '../src/places/aws/variables.ts';

// An HTTP API hands on whole answers only.
const context = functionContext(import.meta.dirname, { streams: false });
const api = createApi({
  ...context,
  ...(process.env[LOGINS_SECRET] !== undefined && {
    signIns: async () => (await import('../src/places/aws/function-logins.ts')).functionSignIns(),
  }),
  async openings() {
    const [{ functionWorkspaces }, { createPrices }] = await Promise.all([
      import('../src/places/aws/cloud-workspace.ts'),
      import('../src/core/spending/prices.ts'),
    ]);
    return { cwd: '/', openWorkspace: functionWorkspaces(), prices: createPrices(), providers: [] };
  },
});

/** Serves a part that few requests are for, and that is loaded with the first of them. */
function serveLate(methods: string[], paths: string[], load: () => Promise<Hono>): void {
  let part: Promise<Hono> | undefined;
  api.on(methods, paths, async (c) => (await (part ??= load())).fetch(c.req.raw));
}

const signIn = process.env[ENVIRONMENT.signIn];
if (signIn) {
  serveLate(['GET'], [...PAGE_PATHS], async () => {
    const { createSignedInPage } = await import('../src/doors/api/signed-in-page.ts');
    // Files that runs are shown are put into the bucket.
    const bucket = `https://${process.env[ENVIRONMENT.bucket]}.s3.${process.env['AWS_REGION']}.amazonaws.com`;
    return createSignedInPage(signIn, join(import.meta.dirname, PAGE_FOLDER), [bucket]);
  });
}

if (process.env[LOGINS_SECRET] !== undefined) {
  serveLate(['GET'], Object.values(SIGN_IN_PATHS), async () => {
    const { createCallbackPage } = await import('../src/doors/api/callback-page.ts');
    return createCallbackPage();
  });
}

if (process.env[ANSWER_LINKS]) {
  serveLate(['GET', 'POST'], [ANSWER_PATH], async () => {
    const { createAnswerPage } = await import('../src/doors/api/answer-page.ts');
    return createAnswerPage(context.environment);
  });
}

/** Serves the HTTP API, and the page where people sign in to it. */
// oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
export const handler = handle(api);
