import { startRehearsal, type Rehearsal, type RehearsalOptions } from './rehearsal.ts';

/** The environment that the suites share: its functions start from cold once for all of them. */
export let rehearsal: Rehearsal;

/** Deploys it. */
export async function deploy(options: RehearsalOptions): Promise<void> {
  rehearsal = await startRehearsal(options);
}
