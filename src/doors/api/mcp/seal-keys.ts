import { randomBytes } from 'node:crypto';
import type { ApiContext } from '../context.ts';

const DAY_MS = 86_400_000;

/**
 * The keys that seal what clients are sent and send back, the one to seal with first: those of today and of yesterday.
 * What one process sealed, another opens; the first that asks for a key makes it.
 */
export async function sealKeys({ environment, now }: ApiContext): Promise<readonly [string, string]> {
  const keyOf = async (time: number) => {
    const day = new Date(time).toISOString().slice(0, 10);
    const made = { run: '', digest: randomBytes(32).toString('base64url') };
    return (await environment.once(`seal ${day}`, made)).digest;
  };
  return [await keyOf(now()), await keyOf(now() - DAY_MS)];
}
