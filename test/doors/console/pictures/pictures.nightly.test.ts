import { vi } from 'vitest';
import { drawingTests } from './drawing-tests.ts';

// Six hundred pictures.
vi.setConfig({ testTimeout: 1_800_000 });
await drawingTests(() => true);
