import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { conversationPart } from './conversation-part.ts';
import { ConversationReader, type ShownConversation } from './conversation-reader.ts';

/** The conversation of a run, live, and how to read turns in front of another. */
export function useConversation(
  run: RunOverview,
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
  useEffect(() => {
    void reader.current?.look(made);
    // Another object whenever anything of the run has changed.
  }, [run]);
  const readBefore = useCallback(async (turn: number) => reader.current?.readBefore(turn), []);
  return { ...shown, readBefore };
}
