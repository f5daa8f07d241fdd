import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * For what goes away while somebody is in it: the focus goes to the heading of what it was in, not to the page's top.
 */
export function useLeftFocus<T extends HTMLElement>(): RefObject<T | null> {
  const leaving = useRef<T>(null);
  useLayoutEffect(
    () => () => {
      const element = leaving.current;
      if (element === null || !element.contains(document.activeElement)) return;
      element.closest('dialog, section.detail')?.querySelector<HTMLElement>('h2')?.focus();
    },
    [],
  );
  return leaving;
}
