const PATHS = {
  home: 'M3 8.5 9 3.5l6 5V15h-4v-4H7v4H3z',
  runs: 'M6 4.5h9M6 9h9M6 13.5h9M3 4.5h.01M3 9h.01M3 13.5h.01',
  agents: 'M9 3v3.5M9 6.5 4.5 11M9 6.5l4.5 4.5M4.5 11v1M13.5 11v1M7.6 3h2.8M3 12h3v3H3zM12 12h3v3h-3z',
  questions: 'M3 4h12v8.5H8.5L5 15.5v-3H3zM7 7h4M7 9.5h2.5',
  search: 'M8 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM11.7 11.7 15 15',
  start: 'M6 4.2v9.6L13.5 9z',
};

/** A drawing beside a word that says the same. */
export function Icon({ of }: { of: keyof typeof PATHS }) {
  return (
    <svg class="frame-icon" viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}
