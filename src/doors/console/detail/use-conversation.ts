import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { conversationPart } from './conversation-part.ts';
import { ConversationReader, type ShownConversation } from './conversation-reader.ts';

/** How often to look what a model has written where that is not followed, in milliseconds. */
const LOOK_MS = 700;

/**
 * The conversation of a run, live, and how to read turns in front of another.
 * @param isFollowed whether what its model writes is followed beside it
 */
export function useConversation(
  run: RunOverview,
  isFollowed: boolean,
): Partial<ShownConversation> & { readBefore: (turn: number) => Promise<void> } {
  const { run_id: id, turns: made } = run;
  const [shown, setShown] = useState<ShownConversation>();
  const reader = useRef<ConversationReader>(undefined);
  useEffect(() => {
    const opened = new ConversationReader(id, conversationPart, setShown);
    reader.current = opened;
    return () => {
      opened.close();
      setShown(undefined);
    };
  }, [id]);
  const isWriting = !isFollowed && run.waits_for?.some((wait) => wait.for === 'model') === true;
  useEffect(() => {
    void reader.current?.look(made);
    if (!isWriting) return;
    const timer = setInterval(() => document.hidden || void reader.current?.look(made), LOOK_MS);
    return () => clearInterval(timer);
    // Another object whenever anything of the run has changed.
  }, [run]);
  const readBefore = useCallback(async (turn: number) => reader.current?.readBefore(turn), []);
  return { ...shown, readBefore };
}
