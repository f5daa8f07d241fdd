// Loaded into the processes of tests, before anything else: notes which test file came to the code of which mutant.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const notes = join(import.meta.dirname, '../../dist/reached');
/** Each file has a process of its own. */
const noted = new Set();

globalThis.mutantReached = (mark) => {
  if (noted.has(mark)) return;
  noted.add(mark);
  appendFileSync(notes, `${mark} ${globalThis.__vitest_worker__?.filepath ?? ''}\n`);
};
