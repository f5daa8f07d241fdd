import { AgentError } from '../../errors.ts';
import type { AskInput } from '../turn/ask-person.ts';
import { holdRun } from '../turn/hold.ts';
import type { ResidentPorts } from './ports.ts';
import type { Awaiting } from './rest.ts';
import { isOver } from './wake-agents.ts';

/**
 * Stores the token of a state that waits for other agents, unless there is nothing left to wait for.
 * @returns undefined if it does not wait
 */
export async function awaitMail(
  { token, until, ...input }: AskInput,
  ports: ResidentPorts,
): Promise<Awaiting | undefined> {
  const { store, wake, now } = ports;
  const [run, turn] = await Promise.all([store.run(input.run), store.turn(input.run, input.turn)]);
  if (run === undefined || turn?.plans[input.call - 1]?.kind !== 'wait') {
    throw new AgentError(`turn ${input.turn} of run "${input.run}" has no call ${input.call} that waits`);
  }
  const wait = { run: run.id, at: { turn: input.turn, call: input.call }, token, until };
  const held = await holdRun(run, input, turn.at, ports);
  const mayWait = held?.status === 'running' && until > now();
  if (mayWait) await store.saveMailWait(wait);
  if (mayWait && !(await isOver(wait, await store.tree(run.root), ports))) {
    return { ...wait, execution: input.execution };
  }
  await store.deleteMailWait(wait);
  await wake(token, {});
  return undefined;
}
