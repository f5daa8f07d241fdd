import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** For a part that goes away while it has the focus: the focus goes to the heading above it, not to the page's top. */
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
