// Loaded into the processes of tests, before anything else: notes which test file came to the code of which mutant.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const notes = join(import.meta.dirname, '../../dist/reached');
const noted = new Set();

globalThis.mutantReached = (mark) => {
  const note = `${mark} ${globalThis.__vitest_worker__?.filepath ?? ''}\n`;
  if (noted.has(note)) return;
  noted.add(note);
  appendFileSync(notes, note);
};
