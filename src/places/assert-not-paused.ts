import type { RunStore } from '../core/records/ports.ts';
import { pauseText } from '../core/records/pause.ts';
import { PausedError } from './environment-errors.ts';

/** @throws {PausedError} while everything is paused, so that nothing is started */
export async function assertNotPaused(store: Pick<RunStore, 'pause'>): Promise<void> {
  const pause = await store.pause();
  if (pause !== undefined) throw new PausedError(pauseText(pause));
}
