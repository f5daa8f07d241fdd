import { useEffect, useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Place } from '../route.ts';
import { useRoute } from '../use-route.ts';

/** The turn or the call of this run to which the address leads; undefined if it leads elsewhere. */
export function usePlaceIn(run: string): Place | undefined {
  const route = useRoute();
  return route.view === 'run' && route.selected === run ? route.at : undefined;
}

/** An element at a place of a conversation: whether the address leads there, and where to put the reader then. */
export interface Arrival<Element extends HTMLElement> {
  place: RefObject<Element | null>;
  isHere: boolean;
}

/**
 * Brings the reader to a turn or a call when the address leads there.
 * @param call of the turn, from 1; absent: the turn itself
 */
export function useArrival<Element extends HTMLElement>(
  run: string,
  turn: number,
  call?: number,
): Arrival<Element> {
  const place = useRef<Element>(null);
  const at = usePlaceIn(run);
  const isHere = at?.turn === turn && at.call === call;
  useEffect(() => {
    const element = place.current;
    if (!isHere || element === null) return;
    const bring = () => element.scrollIntoView({ block: 'start' });
    element.focus({ preventScroll: true });
    bring();
    // Turns above it are laid out, and texts drawn, only once they come near.
    const watched = new ResizeObserver(bring);
    const { parentElement: list } = element;
    if (list !== null) watched.observe(list);
    const leave = () => watched.disconnect();
    const timer = setTimeout(leave, SETTLED_MS);
    const scrolling = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
    for (const type of scrolling) addEventListener(type, leave, { once: true, passive: true });
    return () => {
      clearTimeout(timer);
      leave();
      for (const type of scrolling) removeEventListener(type, leave);
    };
  }, [isHere]);
  return { place, isHere };
}

/** How long a place is kept in sight while the page around it is laid out, in milliseconds. */
const SETTLED_MS = 1_500;
