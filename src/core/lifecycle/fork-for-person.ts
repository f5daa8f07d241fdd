import type { Instant } from '../records/times.ts';
import { ConfigError } from '../../errors.ts';
import { endedCaller } from './ended-caller.ts';
import { forkOf, MAX_FORKS } from './fork.ts';
import { FORMAT } from '../machine/format.ts';
import type { RunStore } from '../records/ports.ts';
import { childOf } from '../records/run-id.ts';
import { phaseOf } from '../records/phase.ts';
import { NO_USAGE, type Run } from '../records/run.ts';
import { isAnswer } from '../records/turn.ts';
import { MAX_CALLS_PER_TURN } from '../tool-contracts/plan-calls.ts';
import { defined } from '../../defined.ts';
import { ownerOf } from '../records/owner.ts';

interface ForkPorts {
  store: RunStore;
  now: () => Instant;
}

/**
 * Makes a copy of an agent for a person, with its conversation up to its newest answer. The copy is idle until its
 * first message.
 * @param once a key of the caller's: all that is asked for with it is one copy
 * @throws {ConfigError} if the agent has not answered yet, it or one above it was ended, or it is a fork of too many
 *   forks
 */
export async function forkForPerson(parent: Run, ports: ForkPorts, once?: string): Promise<Run> {
  if (once === undefined) return makeCopy(parent, ports);
  const { store } = ports;
  const key = `copy of ${parent.id}: ${once}`;
  const bound =
    (await store.bound(key)) ??
    (await store.bind(key, { run: (await makeCopy(parent, ports)).id, digest: 'copy' }));
  return (await store.run(bound.run)) ?? makeCopy(parent, ports);
}

async function makeCopy(parent: Run, { store, now }: ForkPorts): Promise<Run> {
  const [opened, turns] = await Promise.all([store.opened(parent.id), store.turns(parent.id)]);
  const answered = turns.findLast(isAnswer);
  if (opened === undefined || answered === undefined) {
    throw new ConfigError(`"${parent.agent}" has not answered yet, so there is nothing to fork`);
  }
  // The state of the tree that a copy would find when it gets a message.
  const ended = await endedCaller({ parent: { run: parent.id, turn: answered.number, call: 0 } }, store);
  if (ended !== undefined) {
    const why = phaseOf(ended) === 'killed' ? 'was killed' : `is ${ended.status}; go on with that one first`;
    throw new ConfigError(`nothing would reach a copy of "${parent.agent}": run "${ended.id}" ${why}`);
  }
  if ((opened.forks ?? 0) >= MAX_FORKS) throw new ConfigError(`Maximum fork depth (${MAX_FORKS}) exceeded`);
  // Numbers beyond those of a model's own calls.
  for (let call = MAX_CALLS_PER_TURN + 1; ; call++) {
    const at = { run: parent.id, turn: answered.number, call };
    const { id, path } = childOf(parent, at.turn, call, parent.agent);
    if ((await store.run(id)) !== undefined) continue;
    const name = await store.claimName({ id, path }, `${parent.agent}-fork`);
    const child = forkOf(opened, id, name, {
      run: parent.id,
      to: answered.number,
      isAnswered: true,
    });
    await store.saveOpened(id, child);
    const startedAt = new Date(now()).toISOString();
    const record = await store.insertRun({
      id,
      v: FORMAT,
      root: parent.root,
      parent: at,
      path,
      agent: parent.agent,
      name,
      derivedBy: 'fork',
      beside: true,
      model: child.model,
      ...defined({ version: child.version, pack: child.pack }),
      depth: parent.depth,
      ...ownerOf(parent),
      status: 'idle',
      startedAt,
      endedAt: startedAt,
      // It has none before the person writes to it.
      task: '',
      holder: 0,
      execution: '',
      timeout: child.timeout,
      usage: NO_USAGE,
    });
    if (record.startedAt === startedAt) return record;
  }
}
