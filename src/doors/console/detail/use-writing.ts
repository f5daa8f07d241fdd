import { useEffect, useState } from 'preact/hooks';
import type { WritingEvent } from '../../api/answers.ts';
import type { Conversation, RunOverview } from '../../../core/reports/run-schemas.ts';
import { followEvents } from '../client/event-stream.ts';

type Writing = NonNullable<Conversation['writing']>;

/** Browsers open six connections to a server at most, and the tree and every request need one, too. */
const MOST_FOLLOWED = 3;
let followed = 0;

/**
 * The answer that a run's model is writing, as it comes; undefined while there is none, on a page out of sight, and
 * where so many others are followed already: theirs are there with their turns.
 */
export function useWriting({ run_id: id, status }: RunOverview): Writing | undefined {
  const [writing, setWriting] = useState<Writing>();
  const isWanted = useIsVisible() && status === 'running';
  useEffect(() => {
    if (!isWanted || followed >= MOST_FOLLOWED) return;
    followed += 1;
    const ending = new AbortController();
    // An answer that cannot be followed comes with its turn, and the rest of the page shows the server's faults.
    void follow(id, ending.signal, setWriting).catch(() => {});
    return () => {
      followed -= 1;
      ending.abort();
      setWriting(undefined);
    };
  }, [id, isWanted]);
  return writing;
}

async function follow(run: string, signal: AbortSignal, tell: (writing: Writing) => void): Promise<void> {
  let written: Writing | undefined;
  let frame: number | undefined;
  signal.addEventListener('abort', () => frame !== undefined && cancelAnimationFrame(frame));
  for await (const { data } of followEvents({ path: `runs/${run}/writing/events`, signal })) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server sends what src/doors/api/answers.ts declares
    const { turn, offset, text, thinking } = JSON.parse(data) as WritingEvent;
    const before = written?.turn === turn ? written.text.slice(0, offset) : '';
    written = { turn, text: before + text, ...(thinking !== undefined && { thinking }) };
    // As often as it can be seen, and no more.
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      if (written !== undefined) tell(written);
    });
  }
}

function useIsVisible(): boolean {
  const [isVisible, setIsVisible] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setIsVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}
