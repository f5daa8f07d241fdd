import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEvaluation } from '../src/authoring/eval/read-eval.ts';
import type { Row } from './row.ts';

const CASES = 10_000;

/** Reading and checking an evaluation with many cases in one file, as `cadre eval --list` does. */
export async function measureEval(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-bench-'));
  try {
    const cases = Array.from(
      { length: CASES },
      (_, index) =>
        `[[cases]]\nname = "case ${index}"\nprompt = "${'do it '.repeat(20)}"\n` +
        'expect = [{ contains = "x" }, { calls = "a_*", at_most = 2 }]\n',
    );
    writeFileSync(join(folder, 'e.toml'), `agent = "a"\n${cases.join('')}`);
    const begun = performance.now();
    const { cases: read } = await readEvaluation('e.toml', folder);
    const value = performance.now() - begun;
    if (read.length !== CASES) throw new Error(`it has ${read.length} cases`);
    const what = `listing ${CASES} cases of one evaluation file`;
    return [{ what, value, unit: ' ms', digits: 0, atMost: 1_000, counts: 'least' }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
