import type { PersonsMessage } from '../core/lifecycle/persons-message.ts';
import { goOn } from '../core/lifecycle/resume.ts';
import { leaveMessage } from '../core/lifecycle/leave-message.ts';
import type { Pipeline } from './pipeline.ts';
import { unlessCarried } from './local/run-lock.ts';

/**
 * Writes to an agent and carries its tree, unless another process does: that one finds the message.
 * @param carry carries the tree, with the run that `start` starts
 * @returns the result of `carry`; undefined where the message was left to another process
 * @throws {ConfigError} if nothing brings the agent back
 */
export async function writeToAgent<T>(
  message: PersonsMessage,
  {
    store,
    executions,
    send,
    now = Date.now,
  }: Pick<Pipeline, 'executions' | 'send' | 'store'> & { now?: () => number },
  carry: (start: () => Promise<string | undefined>) => Promise<T>,
): Promise<T | undefined> {
  const here = (start: () => Promise<string | undefined>) => unlessCarried(() => carry(start));
  const carried = await here(() => send(message));
  if (carried !== undefined) return carried.done;
  await leaveMessage(message, { store, now });
  const root = (await store.run(message.run))?.root ?? message.run;
  // The other process may have looked for messages for the last time before this one was there.
  return (await here(() => goOn(root, { store, executions, now })))?.done;
}
