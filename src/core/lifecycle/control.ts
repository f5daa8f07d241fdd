import * as v from 'valibot';
import { wakeAsker } from './answer-question.ts';
import { AskInput, askPerson, type WaitingState } from '../turn/ask-person.ts';
import { carryOutCall, type CallPorts } from '../turn/call.ts';
import { OPEN, isIn } from '../records/phase.ts';
import type { AwaitBatchPorts, AwaitingBatch } from './await-batch.ts';
import { awaitMail } from './await-mail.ts';
import { isKilledForPerson, killForPerson } from './kill-agent.ts';
import { NO_WORKSPACE } from './no-workspace.ts';
import { otherAgents } from './other-agents.ts';
import type { ResidentPorts } from './ports.ts';
import { rest, type Awaiting } from './rest.ts';
import { wakeForPerson } from './wake-agents.ts';

/** The reasons to call the function: by the machines, and by the API on behalf of a person. */
const ControlInput = v.union([
  v.object({ ask: AskInput }),
  v.object({ rest: v.unknown() }),
  v.object({ batch: v.unknown() }),
  v.object({ call: v.unknown() }),
  v.object({ answered: v.object({ run: v.string(), turn: v.number(), call: v.number() }) }),
  v.object({ kill: v.object({ run: v.string() }) }),
  v.object({ written: v.object({ run: v.string() }) }),
  v.object({ look: v.literal('pause') }),
]);

export type ControlPorts = ResidentPorts & Omit<CallPorts, 'reach'> & Pick<AwaitBatchPorts, 'openBucket'>;

/** The wait of an execution after the call, if there is one. */
export interface Waits {
  person?: WaitingState;
  mail?: Awaiting;
  batch?: AwaitingBatch;
}

/** For the machine of schedules, which skips a tick while everything is paused. */
export interface Looked {
  /** Absent: nothing is. */
  paused?: string;
}

/** Reaches agents at work and agents that wait: the only function that starts and stops agents and answers tokens. */
export async function control(
  event: unknown,
  ports: ControlPorts,
  signal: AbortSignal,
): Promise<Waits & Looked> {
  const input = v.parse(ControlInput, event);
  if ('ask' in input) {
    const { run, turn, call } = input.ask;
    const plan = (await ports.store.turn(run, turn))?.plans[call - 1];
    if (plan?.kind === 'wait') return waits('mail', await awaitMail(input.ask, ports));
    return waits('person', await askPerson(input.ask, ports));
  }
  if ('look' in input) {
    const pause = await ports.store.pause();
    return pause === undefined ? {} : { paused: pause.at };
  }
  if ('rest' in input) return waits('mail', await rest(input.rest, ports));
  if ('batch' in input) {
    // Few agents wait for batches.
    const { awaitBatch } = await import('./await-batch.ts');
    return waits('batch', await awaitBatch(input.batch, ports));
  }
  if ('call' in input) await carryOutCall(input.call, { ...ports, reach: reachOf(ports) }, signal);
  else if ('answered' in input) await wakeAsker(input.answered, ports.store, ports.wake);
  else if ('kill' in input) {
    const run = await ports.store.run(input.kill.run);
    // A request that comes after another end is done.
    if (run !== undefined && (isIn(OPEN, run) || isKilledForPerson(run))) await killForPerson(run, ports);
  } else await wakeForPerson(input.written.run, ports);
  return {};
}

function waits<K extends keyof Waits>(what: K, waiting: Waits[K]): Waits {
  return waiting === undefined ? {} : { [what]: waiting };
}

/** Other agents, and nothing else: no files, no commands, no network. */
function reachOf(ports: ControlPorts): CallPorts['reach'] {
  return (run, _, at) => ({ workspace: NO_WORKSPACE, agents: otherAgents(run, at, ports) });
}
