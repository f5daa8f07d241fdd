import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

/** The mark in the name of a test that is skipped because the machine lacks something; no other may be skipped. */
export const LACKING = '(skipped: ';

/** Ends a run with the plain line that any CI can read, and refuses skipped tests where all should have run. */
export class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    let lacking = 0;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === 'skipped' && test.name.includes(LACKING)) lacking += 1;
      }
      for (const suite of [module, ...module.children.allSuites()]) counts.failed += suite.errors().length;
    }
    const skipped = counts.skipped + counts.pending;
    const isWhole = this.#vitest?.config.testNamePattern === undefined;
    if (skipped > lacking && isWhole) {
      console.error('skipped tests are refused: mend them or remove them');
      process.exitCode = 1;
    }
    console.log(
      `\n${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    );
  }
}
