import type { Run } from '../records/run.ts';
import { withoutPast, type Turn } from '../records/turn.ts';
import type { RunEnd } from '../turn/close.ts';
import { deliver } from './deliver.ts';
import { letterOf } from './letter.ts';
import type { ResidentPorts } from './ports.ts';

/**
 * Tells an agent that another one, which it counts on, is done. This comes before the end itself: an agent that finds
 * no other at work any more must have been told of everything.
 * @param how it is about to end, or has ended
 */
export async function report(
  run: Run,
  turns: readonly Turn[],
  how: RunEnd,
  ports: ResidentPorts,
): Promise<void> {
  const letter = await letterOf({ ...withoutPast(run, turns), ...how }, turns, ports);
  if (letter !== undefined) await deliver(letter.to, letter.mail, letter.key, ports);
}
