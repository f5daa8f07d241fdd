import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { beforeAll, expect, onTestFinished, vi } from 'vitest';
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

const REACHED =
  "[...document.querySelectorAll('table, .picture')].every((one) => one.scrollWidth <= one.clientWidth || one.tabIndex === 0)";

// Each page is looked at twice, and there are many.
vi.setConfig({ testTimeout: 1_200_000 });

for (const [name, look] of [
  ['light, at a desk', { colorScheme: 'light' }],
  ['dark, on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const)
  browserTest(`${name}: everybody can read every page`, async () => {
    const url = await serveSite();
    const { page, faults } = await browsing.open(url, look);
    const found: string[] = [];
    const paths = pages();
    for (const path of paths) {
      await page.goto(`${url}${path}`);
      // A script finds out what can be scrolled, and has the keyboard reach it.
      await page.waitForFunction(REACHED);
      found.push(...[...(await findings(page)), ...faults.splice(0)].map((what) => `${path}: ${what}`));
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      if (isWide) found.push(`${path}: is wider than the window`);
    }
    expect(found).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/',
        '/concepts/',
        '/decisions/one-port/',
        '/examples/chat/',
        '/project/contributing/',
        '/reference/cadre-cdk/',
        '/reference/http/',
      ]),
    );
  });

/** Where the pages are. */
function pages(): string[] {
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file) === 'index.html')
    .map((file) => `/${file.slice(0, -'index.html'.length)}`);
}

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
