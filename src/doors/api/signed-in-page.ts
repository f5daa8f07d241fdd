import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { discover } from './discover.ts';
import { answerProblem, createPage } from './page.ts';

/** How people sign in to the page of an environment, whose API takes tokens of this issuer. */
const SignIn = v.object({
  issuer: v.string(),
  clientId: v.string(),
  /** The scopes that the page asks for, with spaces between them. */
  scope: v.string(),
  /** The API that tokens are for, where that is not the client itself. */
  audience: v.optional(v.string()),
  /** The name of the environment. */
  environment: v.optional(v.string()),
});
type SignIn = v.InferOutput<typeof SignIn>;

/** The part of a provider's metadata that is read here (OpenID Connect Discovery 1.0, 3). */
const Provider = v.object({
  authorization_endpoint: v.pipe(v.string(), v.url()),
  token_endpoint: v.pipe(v.string(), v.url()),
});

/**
 * The page for an API that takes tokens. Browsers get tokens from the provider, which may have other origins than the
 * issuer: the page may ask the one that gives tokens, and no other. The provider is asked for it once.
 * @param signIn JSON: a `SignIn`
 * @param folder absolute: the page's files
 * @param connect origins that the page may ask besides
 */
export function createSignedInPage(signIn: string, folder: string, connect: readonly string[] = []): Hono {
  const settings = v.parse(v.pipe(v.string(), v.parseJson(), SignIn), signIn);
  let opened: Hono | undefined;
  const page = new Hono();
  page.onError(answerProblem);
  page.get('*', async (c) => (opened ??= await open(settings, folder, connect)).fetch(c.req.raw));
  return page;
}

/** @throws {Problem} 502 if the issuer does not say where people sign in */
async function open(
  { issuer, clientId, scope, audience, environment }: SignIn,
  folder: string,
  connect: readonly string[],
): Promise<Hono> {
  const { authorization_endpoint, token_endpoint } = await discover(
    issuer,
    Provider,
    'where to sign in',
    502,
  );
  return createPage({
    folder,
    connect: [new URL(token_endpoint).origin, ...connect],
    config: {
      ...(environment !== undefined && { environment }),
      sign_in: {
        issuer,
        authorization_endpoint,
        token_endpoint,
        client_id: clientId,
        scope,
        ...(audience !== undefined && { audience }),
      },
    },
  });
}
