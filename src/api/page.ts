import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { Hono } from 'hono/tiny';
import { isMissing } from '../workspace/file-fault.ts';
import { Problem } from './problem.ts';

/** The page's files by their paths. They hold no data, so that whoever reaches a server may have them. */
const FILES: Record<string, { file: string; type: string }> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/console.js': { file: 'console.js', type: 'text/javascript; charset=utf-8' },
  '/console.css': { file: 'console.css', type: 'text/css; charset=utf-8' },
};

export const PAGE_PATHS: readonly string[] = Object.keys(FILES);

export interface PageOptions {
  /** Absolute: the folder of the page's files; absent: where the build of this package leaves them. */
  folder?: string | undefined;
  /** Origins that the page may ask beside its own. */
  connect?: readonly string[];
}

/**
 * The page: static files, which a browser asks for again at each visit and gets only where they have changed. It runs
 * nothing but its own script, which may ask its own origin and those in `connect`, and no page may show it in a frame.
 */
export function createPage({ folder = builtPage(), connect = [] }: PageOptions): Hono {
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
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  const page = new Hono();
  page.use(compress(), etag());
  for (const [path, { file, type }] of Object.entries(FILES)) {
    page.get(path, async () => {
      const bytes = await readFile(join(folder, file)).catch((error: unknown) => {
        if (isMissing(error)) throw new Problem(404, 'the page is not built: npm run build');
        throw error;
      });
      return new Response(bytes, { headers: { ...headers, 'content-type': type } });
    });
  }
  return page;
}

function builtPage(): string {
  return join(dirname(createRequire(import.meta.url).resolve('cadre/package.json')), 'dist/console');
}
