import type { EmitRunEvent } from '../runs/event.ts';

/** Listeners that come and go, as one that stays. */
export function createListeners(): { listen(listener: EmitRunEvent): () => void; tell: EmitRunEvent } {
  const listeners = new Set<EmitRunEvent>();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: (event) => listeners.forEach((listener) => listener(event)),
  };
}
