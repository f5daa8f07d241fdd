import { randomBytes } from 'node:crypto';
import type { RunStore } from '../../core/records/ports.ts';
import type { AttendedPorts } from './attended-run.ts';
import type { ApiPorts } from './ports.ts';

/** A function lasts for 15 minutes at most, of which an answer needs some to be told why it is incomplete. */
const ANSWER_SECONDS = 14 * 60;

/** The port that waits for runs carried by others, in an account: their records tell their events. */
export function attendedElsewhere(ports: ApiPorts): AttendedPorts {
  const { runs: store, now } = ports;

  return {
    ...ports,
    answerSeconds: ANSWER_SECONDS,
    sealKeys: async () => [await sealKey(now(), store), await sealKey(now() - DAY_MS, store)],
  };
}

const DAY_MS = 86_400_000;

/** The key of a day: one instance of a function opens the seals of another. The first to ask makes it. */
async function sealKey(time: number, store: RunStore): Promise<string> {
  const day = new Date(time).toISOString().slice(0, 10);
  const { digest } = await store.bind(JSON.stringify(['seal', day]), {
    run: '',
    digest: randomBytes(32).toString('base64url'),
  });
  return digest;
}
