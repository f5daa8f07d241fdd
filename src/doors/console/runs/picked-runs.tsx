import { useState } from 'preact/hooks';
import { hrefOf } from '../route.ts';

/** The runs of a list that are picked to be compared: at most two, the newest picks. */
export function usePicked(): { picked: readonly string[]; toggle: (run: string) => void } {
  const [picked, setPicked] = useState<readonly string[]>([]);
  const toggle = (run: string) =>
    setPicked((now) => (now.includes(run) ? now.filter((id) => id !== run) : [...now, run].slice(-2)));
  return { picked, toggle };
}

/** The way to compare them; nothing while none is picked. The older one is on the left. */
export function PickedRuns({ picked, listed }: { picked: readonly string[]; listed: readonly string[] }) {
  const [right, left] = listed.filter((id) => picked.includes(id));
  if (right === undefined) return null;
  return (
    <p class="runs-picked" role="status">
      {left === undefined ? (
        'Pick another run to compare it with.'
      ) : (
        <a href={hrefOf({ view: 'compare', left, right })}>Compare these two</a>
      )}
    </p>
  );
}
