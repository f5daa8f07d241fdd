import * as v from 'valibot';
import { RESERVED_PREFIX } from '../../core/agent-schema/agent-name.ts';
import { isExpress } from '../../core/machine/express.ts';
import { ConfigError } from '../../errors.ts';
import { unlessEnded } from '../../places/environment-errors.ts';
import { isIn, OPEN } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { deployedName, WIDE, type VerificationAgent } from './agents.ts';
import { isEnd, startedBy } from './history.ts';
import type { Play } from './play.ts';

/** Something that people do with an environment, played in the same way wherever it is played. */
export interface Scenario {
  /** Its subject, in a few words. */
  about: string;
  /** Whether it asks the HTTP API. */
  asks?: true;
  /** Whether somebody has to deploy meanwhile: it is played only where it is named. */
  isAttended?: true;
  play(play: Play): Promise<void>;
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  parallel: { about: 'sub-agents at once, one of which delegates in turn', play: runs('parallel') },
  'in-order': { about: 'sub-agents one after another', play: runs('in-order') },
  failures: { about: 'a sub-agent that fails, and one that is missing', play: runs('failures') },
  timeout: { about: 'a sub-agent that is out of time', play: runs('timeout') },
  leaves: { about: 'sub-agents in Express executions, one of which fails', play: runsLeaves('leaves') },
  'long-leaf': {
    about: 'a sub-agent that is in an Express execution for 200 s',
    play: runsLeaves('long-leaf'),
  },
  background: {
    about: 'a sub-agent in the background, of whose end its caller is told',
    async play(play) {
      const { id, execution } = await play.start('beside');
      await play.ended(execution);
      const slow = (await play.rig.records.tree(id)).find(isSlow);
      await play.observe(id, execution, ...(slow === undefined ? [] : [slow.execution]));
    },
  },
  throttling: { about: 'a model that is throttled until retries are used up', play: runs('throttling') },

  stop: {
    about: 'a tree that is stopped, whose records events close',
    async play(play) {
      const { top } = await startAndStop(play, 'stuck');
      await play.observe(top.id, top.execution);
    },
  },
  'wide-stop': {
    about: `a tree of ${WIDE} sub-agents at once that is stopped`,
    async play(play) {
      const top = await play.start('wide');
      const tree = await play.until(async () => {
        const below = (await play.rig.records.tree(top.id)).filter(({ id }) => id !== top.id);
        return below.length === WIDE ? below : undefined;
      });
      for (const { execution } of tree) await play.comesTo(execution, 'WaitStateEntered');
      await play.rig.stop(top, 'stopped by cadre verify');
      await play.endedWithNested(top.execution);
      await play.observe(top.id, top.execution);
    },
  },
  'lost-event': {
    about: 'a stopped execution of whose end nobody is told, until the sweep finds it',
    async play(play) {
      const { id, execution } = await play.rig.unnoticed(async () => {
        const run = await play.start('brief');
        await play.comesTo(run.execution, 'WaitStateEntered');
        await play.rig.halt(run.execution);
        await play.ended(run.execution);
        return run;
      });
      await play.observe(id, execution);
    },
  },
  kill: {
    about: 'a sub-agent that is killed, whose caller goes on',
    async play(play) {
      const top = await play.start('stuck');
      await play.rig.kill(await untilSlowIsAsked(play, top));
      await play.observe(top.id, top.execution);
    },
  },
  redrive: {
    about: 'a stopped execution that is redriven',
    async play(play) {
      const { top } = await startAndStop(play, 'waiting');
      await play.rig.redrive(top.execution);
      await play.ended(top.execution, 2);
      await play.observe(top.id, top.execution);
    },
  },
  resume: {
    about: 'a stopped run that is resumed in another execution',
    async play(play) {
      const { top } = await startAndStop(play, 'waiting');
      const { execution } = await play.rig.resume(top);
      await play.observe(top.id, top.execution, execution);
    },
  },

  deployment: {
    about: 'agents that wait for a person, rest or are stopped: deploy a change of the environment now',
    isAttended: true,
    async play(play) {
      const before = await play.rig.revision();
      const open = await play.start('asking');
      await play.comesTo(open.execution, 'TaskSubmitted');
      const rested = await play.start('twice');
      await play.ended(rested.execution);
      const { top: stopped } = await startAndStop(play, 'waiting');
      await play.until(async () => ((await play.rig.revision()) === before ? undefined : true));

      await play.rig.answer({ run: open.id, turn: 1, call: 1 }, { text: 'yes' });
      await play.observe(open.id, open.execution);
      await play.rig.send({ run: rested.id, text: 'again' });
      const woken = await play.until(async () => {
        const run = await play.rig.records.run(rested.id);
        return run?.usage.turns === 2 ? run : undefined;
      });
      await play.observe(rested.id, rested.execution, woken.execution);
      const resumed = await play.rig.resume(stopped);
      await play.observe(stopped.id, stopped.execution, resumed.execution);
    },
  },

  schedule: {
    about: 'a schedule that starts a run once',
    async play(play) {
      const id = await play.rig.schedule(deployedName('quick'), 'go');
      play.own(id);
      const { execution } = await play.until(() => play.rig.records.run(id));
      const starter = startedBy(await play.history(execution));
      await play.observe(id, execution, ...(starter === undefined ? [] : [starter]));
    },
  },
  api: {
    about: 'signed requests that start a run and wait for it',
    asks: true,
    async play(play) {
      const { ask } = play.rig;
      const path = `/agents/${deployedName('middle')}/runs`;
      const unsigned = await ask('POST', path, false, { prompt: 'go' });
      const started = await ask('POST', path, true, { prompt: 'go' });
      if (started.status !== 202)
        throw new ConfigError(`POST ${path}: ${started.status} ${JSON.stringify(started.body)}`);
      const { run_id: run } = v.parse(Named, started.body);
      play.own(run);
      const result = await play.until(async () => {
        const answer = await ask('GET', `/runs/${run}/result?wait=20`, true);
        return answer.status === 202 ? undefined : answer;
      });
      const { agents } = v.parse(Listed, (await ask('GET', '/agents', true)).body);
      play.note(
        'requests',
        `without a signature: ${[401, 403].includes(unsigned.status) ? 'refused' : unsigned.status}`,
        `result: ${result.status}, ${v.parse(Result, result.body).content}`,
        `agents of the verification that are listed: ${agents.filter(isReserved).length}`,
      );
      const { execution } = await play.until(() => play.rig.records.run(run));
      await play.observe(run, execution);
    },
  },
};

const Named = v.object({ run_id: v.string() });
const Result = v.object({ content: v.string() });
const Listed = v.object({ agents: v.array(v.object({ name: v.string() })) });

function isReserved({ name }: { name: string }): boolean {
  return name.startsWith(RESERVED_PREFIX);
}

/** Starts an agent, and waits until all of its tree has ended. */
function runs(agent: VerificationAgent): Scenario['play'] {
  return async (play) => {
    const { id, execution } = await play.start(agent);
    await play.observe(id, execution);
  };
}

/** The same, and notes in which kind of execution each of its sub-agents came to its end. */
function runsLeaves(agent: VerificationAgent): Scenario['play'] {
  return async (play) => {
    const { id, execution } = await play.start(agent);
    await play.observe(id, execution);
    const leaves = (await play.rig.records.tree(id)).slice(1);
    play.note(
      'kinds of executions',
      ...leaves.map((run) => (isExpress(run.execution) ? 'Express' : 'Standard')),
    );
  };
}

/**
 * Stops a tree while the model of one of its sub-agents is being asked, and the others have answered. Where that comes
 * too late, as it may while functions start from cold, another tree is stopped instead.
 * @param agent `waiting` if the tree is to go on. Its function is not stopped with the execution, and may still store
 *   the turn before it is looked at, which that of `stuck` does not.
 */
async function startAndStop(play: Play, agent: 'waiting' | 'stuck'): Promise<{ top: Run }> {
  for (let attempt = 1; ; attempt++) {
    const started = await play.start(agent);
    await untilSlowIsAsked(play, started);
    await play.rig.stop(started, 'stopped by cadre verify').catch(unlessEnded);
    await play.endedWithNested(started.execution);
    const tree = await play.closed(started.id);
    const top = tree.find(({ id }) => id === started.id);
    const isInTime = tree.some((each) => isSlow(each) && each.status === 'stopped');
    if (top !== undefined && (isInTime || attempt === ATTEMPTS)) return { top };
  }
}

const ATTEMPTS = 3;

/** The sub-agents of these that answer at once. */
const OTHERS = 2;

function isSlow({ agent }: Run): boolean {
  return agent === deployedName('slow') || agent === deployedName('late');
}

/**
 * @returns the one that is asked
 * @throws {ConfigError} if there is none, as in an environment of an earlier release without these agents
 */
async function untilSlowIsAsked(play: Play, { id, execution }: Run): Promise<Run> {
  const slow = await play.until(async () => {
    const tree = await play.rig.records.tree(id);
    const [top, found] = [tree.find((run) => run.id === id), tree.find(isSlow)];
    if (found !== undefined || top === undefined || isIn(OPEN, top)) return found;
    const why = top.failure?.message ?? top.status;
    throw new ConfigError(`run "${id}" ended before its sub-agents were asked: ${why}`);
  });
  await play.until(async () => {
    const ended = (await play.history(execution)).filter(({ type }) => type === 'MapIterationSucceeded');
    const events = await play.history(slow.execution);
    const isAsked = events.some(({ stateEnteredEventDetails: entered }) => entered?.name === 'Take turn');
    const isWaiting = isAsked && events.at(-1)?.type === 'TaskStarted' && ended.length === OTHERS;
    return isWaiting || events.some(isEnd) ? true : undefined;
  });
  return slow;
}
