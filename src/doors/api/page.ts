import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { Hono } from 'hono/tiny';
import { PAGE_PATHS } from '../../places/aws/variables.ts';
import { isMissing } from '../../places/local/workspace/file-fault.ts';
import { packageFolder } from '../../package-folder.ts';
import { Problem, toResponse } from './problem.ts';

export interface PageOptions {
  /** Absolute: the folder of the page's files; absent: where the build of this package puts them. */
  folder?: string | undefined;
  /** Origins that the page may ask beside its own. */
  connect?: readonly string[];
  /** The settings that the page needs of its server, all of them public. */
  config?: PageConfig;
}

/** `console-config.json`, as the page reads it. */
export interface PageConfig {
  /** The name of the environment that is shown; absent: a folder on this machine. */
  environment?: string;
  /** Where people sign in; absent: the server asks for its own token, or for nothing. */
  sign_in?: PageSignIn;
}

/** The client of an OpenID provider that the page is. */
export interface PageSignIn {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  client_id: string;
  /** With spaces between them. */
  scope: string;
  /** The API that tokens are for, where that is not the client itself. */
  audience?: string;
}

/** No name leads out of their folder. */
const CHUNK = /^\/chunks\/[\w-]+\.js$/;

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/**
 * The page: static files, which a browser revalidates at each visit. It runs only its own script, which may ask its own
 * origin and those in `connect`, and no page may frame it.
 */
export function createPage({ folder = builtPage(), connect = [], config = {} }: PageOptions): Hono {
  const headers = {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src ${["'self'", ...connect].join(' ')}`,
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  const read = async (file: string) => {
    try {
      return await readFile(join(folder, file));
    } catch (error) {
      if (!isMissing(error)) throw error;
      const isNewer = file.startsWith('chunks/');
      throw new Problem(
        404,
        isNewer ? 'the page is a newer one: reload it' : 'the page is not built: npm run build',
      );
    }
  };
  const page = new Hono();
  page.onError(answerProblem);
  for (const path of PAGE_PATHS) {
    // Of each path, and not of all: what the page is a part of has streams.
    page.get(path, compress(), etag(), async (c) => {
      if (path === '/console-config.json') return c.json(config, 200, headers);
      const isChunk = CHUNK.test(c.req.path);
      if (c.req.path !== path && !isChunk) throw new Problem(404, 'the page has no such file');
      const file = path === '/' ? 'index.html' : c.req.path.slice(1);
      const type = TYPES[file.split('.')[1] ?? ''] ?? '';
      const cached = isChunk ? { 'cache-control': 'public, max-age=31536000, immutable' } : {};
      return c.body(await read(file), 200, { ...headers, ...cached, 'content-type': type });
    });
  }
  return page;
}

/** Errors are problems, as in the API. */
export function answerProblem(thrown: Error): Response {
  if (thrown instanceof Problem) return toResponse(thrown);
  throw thrown;
}

function builtPage(): string {
  return join(packageFolder(), 'dist/console');
}
