import type { Law } from './law.ts';

/** What must not be done twice is done once: its mark identifies the call. */
export function deedsOnce(): Law {
  const done = new Set<string>();
  return {
    says: 'no call is carried out twice but a repeatable one',
    onDeed(by, name, mark) {
      if (name !== 'deed') return [];
      if (done.has(mark)) return [`the call ${mark} of ${by.run} was carried out twice`];
      done.add(mark);
      return [];
    },
  };
}
