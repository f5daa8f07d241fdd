import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findings } from '../doors/console/axe.ts';
import { browserTest, useBrowser } from '../doors/console/browser.ts';
import { serveOnLoopback } from '../fixtures/loopback.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'site/dist');
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const browsing = useBrowser();

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/docs.mjs')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the site was not built: ${stderr}`);
});

/** Serves the site, as any server of files does. */
async function serveSite(): Promise<string> {
  const server = await serveOnLoopback((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = join(DIST, decodeURI(pathname).replace(/\/$/, '/index.html'));
    readFile(path).then(
      (bytes) =>
        response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream').end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  onTestFinished(() => server.close());
  return server.endpoint;
}

const PAGES = [
  '/',
  '/concepts/',
  '/first-agent/',
  '/agents/',
  '/reference/commands/',
  '/reference/http/',
  '/reference/cadre/',
];
const REACHED =
  "[...document.querySelectorAll('table, .picture')].every((one) => one.scrollWidth <= one.clientWidth || one.tabIndex === 0)";
const PHONE = { viewport: { width: 390, height: 844 } };

describe.each(['light', 'dark'] as const)('the site: %s', (colorScheme) => {
  browserTest('everybody can read its pages, at a desk and on a phone', async () => {
    const url = await serveSite();
    const found: string[] = [];
    for (const path of PAGES) {
      for (const size of [{}, PHONE]) {
        const { page, faults } = await browsing.open(`${url}${path}`, { colorScheme, ...size });
        // A script finds out what can be scrolled, and has the keyboard reach it.
        await page.waitForFunction(REACHED);
        found.push(...[...(await findings(page)), ...faults].map((what) => `${path}: ${what}`));
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        if (isWide) found.push(`${path}: is wider than the window`);
        await page.context().close();
      }
    }
    expect(found).toEqual([]);
  });
});

browserTest('a search finds a section by its words, and asks no other server', async () => {
  const { page, faults } = await browsing.open(`${await serveSite()}/`);
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Search' }).fill('patience');
  const found = page
    .getByRole('dialog', { name: 'Search' })
    .getByRole('link', { name: 'How long an agent waits' });
  await found.first().waitFor();
  expect(await findings(page)).toEqual([]);
  await found.first().click();
  await page.getByRole('heading', { name: 'Questions to people' }).waitFor();
  expect(faults).toEqual([]);
});

test('pages that were written by hand, and those that were generated, are there', () => {
  const there = [
    ...PAGES,
    '/decisions/',
    '/decisions/one-port/',
    '/project/contributing/',
    '/reference/cadre-cdk/',
  ];
  expect(there.filter((path) => !existsSync(join(DIST, path, 'index.html')))).toEqual([]);
});
