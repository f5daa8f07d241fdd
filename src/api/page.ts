import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono/tiny';

/** The files of the page, as the build makes them from src/console, and where each is served. */
const FILES: Record<string, { file: string; type: string }> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/console.js': { file: 'console.js', type: 'text/javascript; charset=utf-8' },
  '/console.css': { file: 'console.css', type: 'text/css; charset=utf-8' },
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Serves the page. It holds nothing secret: what it shows comes from the API, which asks who is calling. */
export function createPage(): Hono {
  const folder = join(dirname(createRequire(import.meta.url).resolve('cadre/package.json')), 'dist/console');
  const page = new Hono();
  for (const [path, { file, type }] of Object.entries(FILES)) {
    page.get(path, async (c) =>
      c.body(await readFile(join(folder, file), 'utf8'), 200, { 'content-type': type, ...HEADERS }),
    );
  }
  return page;
}

/** Whether the page is served there. */
export function isOfPage(path: string): boolean {
  return Object.hasOwn(FILES, path);
}
