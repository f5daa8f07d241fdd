import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Elements are prepared before they come into sight, in the window and in the parts of it that scroll. */
const AHEAD = { rootMargin: '600px', scrollMargin: '600px' };

/** Whether an element is in sight, or nearly, or has been. @param isAssumed does not wait to find out */
export function useSeen(element: RefObject<Element | null>, isAssumed = false): boolean {
  const [isSeen, setIsSeen] = useState(isAssumed);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setIsSeen(true),
      AHEAD,
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return isSeen || isAssumed;
}
