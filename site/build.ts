// Builds the site into dist/, and checks it: every link and anchor, and how much script a page has.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'astro';
import { describeModules } from './api.ts';
import { faultsIn } from './faults.ts';
import { writePages } from './pages.ts';

process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
writePages(await describeModules());
// Astro keeps pages as they were rendered, even when the settings have changed since.
rmSync(join(import.meta.dirname, 'node_modules/.astro'), { recursive: true, force: true });
await build({ root: import.meta.dirname, logLevel: 'error' });
const { faults, pages } = faultsIn(join(import.meta.dirname, 'dist'));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`site/dist: ${pages} pages, without a dead link`);
