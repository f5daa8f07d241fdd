import AxeSource from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds wrong for people who use assistive technology. */
export async function findings(page: Page): Promise<string[]> {
  // As a debugger does: the page's policy lets no script in but its own.
  await page.evaluate(AxeSource.source);
  return page.evaluate(async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was just loaded into the page
    const { axe } = globalThis as unknown as { axe: typeof AxeSource };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
