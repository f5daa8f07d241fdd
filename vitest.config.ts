import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/closing-line.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    allowOnly: false,
    testTimeout: 10_000,
    reporters: ['default', new ClosingLine()],
  },
});
