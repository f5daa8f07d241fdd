import { useEffect } from 'preact/hooks';

/** Names the page in tabs and in the history. @param view absent: the page alone */
export function useTitle(view?: string): void {
  useEffect(() => void (document.title = view === undefined ? 'Cadre' : `${view} · Cadre`), [view]);
}
