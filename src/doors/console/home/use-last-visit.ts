import { useEffect, useState } from 'preact/hooks';
import { visitAt, type PageVisit } from './last-visit.ts';

const KEY = 'cadre-visit';
/** How often to note that the page is seen, in milliseconds. */
const NOTE_MS = 60_000;

/** Since when things are new to the person, and a function that makes them old. */
export function useLastVisit(): { since: number; onSeen: () => void } {
  const [visit, setVisit] = useState(() => visitAt(Date.now(), stored()));
  useEffect(() => {
    const note = () => {
      if (document.visibilityState !== 'visible') return;
      setVisit((before) => {
        const now = visitAt(Date.now(), before);
        store(now);
        return now.since === before.since ? before : now;
      });
    };
    store(visit);
    const timer = setInterval(note, NOTE_MS);
    document.addEventListener('visibilitychange', note);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', note);
    };
  }, []);
  const onSeen = () => {
    const now = { since: Date.now(), seen: Date.now() };
    store(now);
    setVisit(now);
  };
  return { since: visit.since, onSeen };
}

function stored(): PageVisit | undefined {
  const kept = localStorage.getItem(KEY);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `store` writes it
  return kept === null ? undefined : (JSON.parse(kept) as PageVisit);
}

function store(visit: PageVisit): void {
  localStorage.setItem(KEY, JSON.stringify(visit));
}
