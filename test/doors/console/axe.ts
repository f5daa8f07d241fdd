import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The findings of axe-core on a page, a line for each place; none where all is well. */
export async function findings(page: Page): Promise<string[]> {
  // The page's policy forbids scripts in tags, not those of the one who drives the browser.
  await page.evaluate(axe.source);
  const found: string[] = await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => [id, help, html, failureSummary].join(' | '))))`);
  return found;
}
