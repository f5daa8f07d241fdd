import type { CallIdentity } from '../../../core/events/event.ts';

/** A call as people are shown it: `edit_file src/a.ts`. */
export function toolCall({ tool, subject }: Pick<CallIdentity, 'tool' | 'subject'>): string {
  return subject === '' ? tool : `${tool} ${subject}`;
}
