import { messageOf } from '../../errors.ts';

/** What was looked at, how it is, and what to do about it. */
export interface Finding extends Observation {
  what: string;
}

export interface Observation {
  /** `warning`: it works, and may not be what is meant. */
  state: 'ok' | 'warning' | 'wrong';
  found: string;
  /** Absent where nothing is to be done. */
  advice?: string;
}

export const ok = (found: string): Observation => ({ state: 'ok', found });
export const warning = (found: string, advice: string): Observation => ({ state: 'warning', found, advice });
export const wrong = (found: string, advice: string): Observation => ({ state: 'wrong', found, advice });

/** Looks at one thing: what cannot be looked at is wrong too, and keeps nobody from looking at the rest. */
export async function check(what: string, look: () => Promise<Observation> | Observation): Promise<Finding> {
  try {
    return { what, ...(await look()) };
  } catch (thrown) {
    return { what, state: 'wrong', found: messageOf(thrown) };
  }
}
