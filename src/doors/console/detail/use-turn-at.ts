import { useEffect } from 'preact/hooks';
import type { TurnBlock } from './turns.ts';
import { usePlaceIn } from './use-arrival.ts';

/** Reads the turn to which the address leads, unless it is already shown. */
export function useTurnAt(
  run: string,
  made: number,
  shown: readonly TurnBlock[],
  readBefore: (turn: number) => Promise<void>,
): void {
  const wanted = usePlaceIn(run)?.turn ?? 0;
  const isMissing = wanted > 0 && wanted <= made && !shown.some(({ turn }) => turn.number === wanted);
  useEffect(() => {
    // The rest of the page shows the server's faults.
    if (isMissing) readBefore(wanted + 1).catch(() => {});
  }, [wanted, isMissing]);
}
