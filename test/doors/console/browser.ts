import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { CHROMIUM, launchChromium } from '../../fixtures/chromium.ts';
import { atNight } from '../../fixtures/nightly.ts';
import { testUnlessLacking } from '../../fixtures/lacking.ts';

/** A test in a browser, which is skipped where there is none. */
export function browserTest(name: string, work: () => Promise<void>): void {
  const lacking = CHROMIUM === undefined ? 'apt-get install --no-install-recommends chromium' : undefined;
  testUnlessLacking(lacking, name, work);
}

/** The same for a variant of what shorter tests show. */
export const nightlyBrowserTest = atNight(browserTest);

/** A page of the server, and what must not happen on it. */
export interface OpenedPage {
  page: Page;
  /** Requests to any other host, and errors of the page and of its policy. */
  faults: string[];
}

export interface Browsing {
  /** Opens an address in a context of its own, which is closed with the test. */
  open(url: string, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** The page's wait before it asks again passes ten times as fast. */
const PATIENCE = `for (const name of ['setTimeout', 'setInterval']) {
  const real = window[name];
  window[name] = (work, milliseconds = 0, ...rest) => real(work, milliseconds / 10, ...rest);
}`;

/** One browser for all tests of a file. */
export function useBrowser(): Browsing {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (CHROMIUM !== undefined) browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  return {
    async open(url, options = {}) {
      if (browser === undefined) throw new Error('there is no browser');
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      // A busy machine may take its time.
      context.setDefaultTimeout(120_000);
      onTestFinished(() => context.close());
      await context.addInitScript(PATIENCE);
      const page = await context.newPage();
      const faults: string[] = [];
      const { origin } = new URL(url);
      page.on('request', (request) => {
        const isOwn = request.url().startsWith(origin) || request.url().startsWith('data:');
        if (!isOwn) faults.push(`asked ${request.url()}`);
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(url);
      return { page, faults };
    },
  };
}
