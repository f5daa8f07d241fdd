import type { LiveBus, LiveEvent } from '../../core/events/live.ts';
import { runOf, type Write } from '../../core/events/write.ts';
import { treeKey } from '../../core/records/run-id.ts';
import { lastThoughts, type Draft } from '../../core/records/turn.ts';

export type News = Write | LiveEvent;

/** This process's own events in trees, for followers in this process: everything that it writes and hears. */
export interface Feed extends LiveBus {
  /** Takes a write that took effect. */
  wrote(write: Write): void;
  /** The answer that a model is writing in a run, as far as it is there. */
  answer(run: string): Draft | undefined;
  /**
   * @param run any of the tree that is listened to
   * @returns ends that
   */
  listen(run: string, listener: (news: News) => void): () => void;
}

export function createFeed(): Feed {
  const listeners = new Map<string, Set<(news: News) => void>>();
  const answers = new Map<string, Draft>();

  function tell(run: string, news: News): void {
    if (listeners.size === 0) return;
    listeners.get(treeKey(run))?.forEach((listener) => listener(news));
  }

  return {
    wrote(write) {
      const run = runOf(write);
      const isOver = write.type === 'turn' || (write.type === 'run' && write.after.status !== 'running');
      if (isOver) answers.delete(run);
      tell(run, write);
    },
    tell(event) {
      const { run } = event;
      if (event.type === 'begun') {
        const { turn, at, messages, pendingCalls } = event;
        answers.set(run, { turn, at, messages, pendingCalls, text: '' });
      }
      const answer = answers.get(run);
      if (event.type === 'piece' && answer?.at === event.at) {
        if (event.kind === 'thinking') answer.thinking = lastThoughts(answer.thinking, event.text);
        else if (answer.text.length === event.offset) answer.text += event.text;
      }
      tell(run, event);
    },
    answer: (run) => answers.get(run),
    listen(run, listener) {
      const key = treeKey(run);
      const own = listeners.get(key) ?? new Set();
      listeners.set(key, own);
      own.add(listener);
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(key) === own) listeners.delete(key);
      };
    },
  };
}
