import { AgentError } from '../../errors.ts';
import type { CallPorts } from './call.ts';
import { askHooks, whatOf } from './ask-hooks.ts';
import { holdRun, type Claim } from './hold.ts';

/**
 * Asks hooks about the text of a turn, which is kept apart until they have decided.
 * @param claim of the execution that carries the run
 */
export async function askAboutText(
  { run: id, turn: number, ...claim }: Claim & { run: string; turn: number },
  ports: CallPorts,
  signal: AbortSignal,
): Promise<void> {
  const { store } = ports;
  const [run, opened, turn] = await Promise.all([
    store.run(id),
    store.opened(id),
    store.withheldTurn(id, number),
  ]);
  if (run === undefined || opened === undefined || turn === undefined) {
    throw new AgentError(`turn ${number} of run "${id}" has no text to ask hooks about`);
  }
  const held = await holdRun(run, claim, turn.at, ports);
  if (held?.status !== 'running') return;
  const { callFunction } = ports.reach(run, opened, { run: id, turn: number, call: 0, answeredAt: turn.at });
  const about = {
    ...whatOf({ run: id, turn: number, call: 0 }, '', opened),
    on: 'before_answer' as const,
    told: { text: turn.answer.text },
  };
  await askHooks(about, { ...ports, callFunction }, signal);
}
