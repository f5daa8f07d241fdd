import fc from 'fast-check';
import { expect } from 'vitest';
import type { ToolCall } from '../../../src/core/records/message.ts';
import type { Phase } from '../../../src/core/records/phase.ts';
import { treePhases } from '../../../src/core/lifecycle/tree-phases.ts';
import { nameOf } from '../../../src/core/records/run.ts';
import { call, use } from '../../fixtures/stage.ts';
import type { Play } from './play.ts';
import { checkRest } from './play.ts';
import { isOpen, type Agent, type PlainModel, type State } from './plain-model.ts';

/** The numbers of all messages, and the runs of the model's agents. */
export interface Real {
  play: Play;
  next: number;
  runs: Map<Agent, string>;
  /** What was done so far, by whom. */
  story: string[];
}

type Command = fc.AsyncCommand<PlainModel, Real>;

/** The phase of an agent in a state. */
const PHASES: Record<State, Phase> = {
  asked: 'working',
  waits: 'waiting_mail',
  asks: 'waiting_person',
  calls: 'waiting_agents',
  rests: 'resting',
  idle: 'idle',
  ended: 'answered',
  failed: 'failed',
  stopped: 'stopped',
  killed: 'killed',
};

const HALTED: readonly State[] = ['failed', 'stopped', 'killed'];

export async function check(model: PlainModel, { play, runs }: Real): Promise<void> {
  const tree = await play.tree();
  const phases = await treePhases(play.root, tree, play.account.time.now(), play.account.store());
  expect(tree.map((run) => `${nameOf(run)} ${phases.get(run.id)}`).toSorted()).toEqual(
    model.agents
      .map((agent) => {
        const found = phases.get(runs.get(agent) ?? '');
        // It may seem to wait for the sub-agent that it has called last, if another agent has woken that.
        const seems =
          agent.state === 'asked' && found === 'waiting_agents' && model.agents.some(isWokenInCall);
        return `${agent.name} ${seems ? found : PHASES[agent.state]}`;
      })
      .toSorted(),
  );
  const asked = tree.filter(({ id }) => play.asked(id) !== undefined).map(nameOf);
  expect(asked.toSorted()).toEqual(
    model.agents
      .filter(({ state }) => state === 'asked')
      .map(({ name }) => name)
      .toSorted(),
  );
  const questions = await play.account.questions(play.root);
  const asking = model.agents.filter(({ state }) => state === 'asks');
  expect(questions.map(({ question }) => question.run).toSorted()).toEqual(
    asking.map((agent) => runs.get(agent) ?? '').toSorted(),
  );
  for (const agent of model.agents) {
    const run = tree.find(({ id }) => id === runs.get(agent));
    if (run === undefined) throw new Error(`${agent.name} has no run`);
    const told = agent.seen.filter((mark) => mark !== '').toSorted();
    const seen = (await play.seen(run)).toSorted();
    // A function that dies may take with it what such an agent was told last. It is told again, if it goes on.
    if (HALTED.includes(agent.state)) expect(told).toEqual(expect.arrayContaining(seen));
    else expect({ of: agent.name, seen }).toEqual({ of: agent.name, seen: told });
  }
  await checkRest(play);
}

/** Has the model of an agent say something, and waits for what comes of it. */
async function say({ play, runs }: Real, agent: Agent, calls: ToolCall[] | string | Error): Promise<void> {
  const id = runs.get(agent) ?? '';
  const made = async () => (await play.account.store().turns(id)).length;
  const before = await made();
  do {
    const asked = play.asked(id);
    if (asked === undefined) throw new Error(`${agent.name} is not asked`);
    asked.say(calls instanceof Error ? calls : typeof calls === 'string' ? { text: calls } : { calls });
    await play.settle();
    // A function that died with the answer asks once more.
  } while (play.asked(id) !== undefined && (await made()) === before);
}

/** One of the agents that something can be done with. */
const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % from.length];
const thinking = ({ agents }: Agents) => agents.filter(({ state }) => state === 'asked');
const withTools = (model: Agents) => thinking(model).filter(({ mayLook }) => mayLook);

type Agents = Pick<PlainModel, 'agents' | 'isOutOfReach' | 'top'>;

interface Spec {
  name: string;
  /** The agents that may do it; one of them does. */
  who: (model: Agents) => readonly Agent[];
  run: (model: PlainModel, real: Real, agent: Agent, other: Agent) => Promise<void>;
}

const SPECS: Spec[] = [
  {
    name: 'fork',
    who: withTools,
    async run(model, real, agent) {
      const name = `fork${real.next++}`;
      const child = model.fork(agent, name);
      await say(real, agent, [use('fork', { prompt: 'p', name })]);
      if (child !== undefined) real.runs.set(child, (await real.play.runNamed(name)).id);
    },
  },
  {
    name: 'call',
    who: (model) =>
      withTools(model).filter((agent) => agent === model.top || (agent.isFork && isOfTop(agent))),
    async run(model, real, agent) {
      // Agents of one file have one name: only the first of each can be found by it.
      const kind = ['kid', 'mute'].find((one) => model.agents.every(({ name }) => name !== one));
      if (kind === undefined) return;
      const child = model.call(agent, kind, kind === 'kid');
      await say(real, agent, [call(kind, 't')]);
      real.runs.set(child, (await real.play.runNamed(kind)).id);
    },
  },
  {
    name: 'call in the background',
    who: (model) =>
      withTools(model).filter((agent) => agent === model.top || (agent.isFork && isOfTop(agent))),
    async run(model, real, agent) {
      const kind = ['aide', 'clerk'].find((one) => model.agents.every(({ name }) => name !== one));
      if (kind === undefined) return;
      const child = model.callBeside(agent, kind, kind === 'aide');
      await say(real, agent, [use('call_agent', { agent: kind, task: 't', background: true })]);
      real.runs.set(child, (await real.play.runNamed(kind)).id);
    },
  },
  {
    name: 'mail',
    who: withTools,
    async run(model, real, agent, other) {
      const body = `m${real.next++}`;
      const isSent = model.mail(agent, other, body);
      await say(real, agent, [use('mail_send', { to: real.runs.get(other) ?? '', body })]);
      expect(await resultOf(real, agent)).toContain(isSent ? '"sent"' : 'Recipient agent is dead');
    },
  },
  {
    name: 'kill',
    who: withTools,
    async run(model, real, agent, other) {
      const ids = [other, ...model.below(other)].filter(isOpen).map((one) => real.runs.get(one) ?? '');
      const refusal = model.kill(agent, other);
      await say(real, agent, [use('kill', { uuid: real.runs.get(other) ?? '' })]);
      const result = await resultOf(real, agent);
      if (refusal === undefined) expect(JSON.parse(result).killed.toSorted()).toEqual(ids.toSorted());
      else expect(result).toBe(refusal);
    },
  },
  {
    name: 'wait',
    who: withTools,
    async run(model, real, agent) {
      model.wait(agent);
      await say(real, agent, [use('wait', { timeout: 600 })]);
    },
  },
  {
    name: 'wait for',
    who: withTools,
    async run(model, real, agent, other) {
      if (other === agent) return;
      model.wait(agent, other);
      await say(real, agent, [use('wait', { timeout: 600, from_agents: [real.runs.get(other) ?? ''] })]);
    },
  },
  {
    name: 'ask',
    who: withTools,
    async run(model, real, agent) {
      model.ask(agent);
      await say(real, agent, [use('ask_user', { question: 'which?' })]);
    },
  },
  {
    name: 'answer',
    who: thinking,
    async run(model, real, agent) {
      const text = `a${real.next++}`;
      model.answer(agent, text);
      await say(real, agent, text);
    },
  },
  {
    name: 'all answer',
    who: ({ agents, top }) => (agents.some(({ state }) => state === 'asked') ? [top] : []),
    async run(model, real) {
      for (let [agent] = thinking(model); agent !== undefined; [agent] = thinking(model)) {
        const text = `a${real.next++}`;
        model.answer(agent, text);
        await say(real, agent, text);
        await check(model, real);
      }
    },
  },
  {
    name: 'fail',
    who: thinking,
    async run(model, real, agent) {
      model.fail(agent);
      await say(real, agent, new Error('broken'));
    },
  },
  {
    name: 'a person answers',
    who: ({ agents }) => agents.filter(({ state }) => state === 'asks'),
    async run(model, real, agent) {
      const text = `q${real.next++}`;
      agent.seen.push(text);
      model.answerQuestion(agent);
      const open = (await real.play.account.questions(real.play.root)).find(
        ({ question }) => question.run === real.runs.get(agent),
      );
      if (open === undefined) throw new Error('the question is lost');
      await real.play.account.answer(open, text);
      await real.play.settle();
    },
  },
  {
    name: 'a person writes',
    who: ({ agents }) => agents,
    async run(model, real, agent) {
      const text = `p${real.next++}`;
      const isAccepted = model.person(agent, text);
      const sent = await real.play.send(real.runs.get(agent) ?? '', text).then(
        () => true,
        () => false,
      );
      expect(sent).toBe(isAccepted);
    },
  },
  {
    name: 'stop and resume',
    who: ({ top }) => (isOpen(top) ? [top] : []),
    async run(model, real) {
      const { play } = real;
      model.stop();
      const { execution } = await play.runNamed('top');
      await play.account.stop(execution);
      await play.settle();
      await check(model, real);
      model.resume();
      await play.account.resume(play.root);
      await play.settle();
    },
  },
  {
    name: 'a person writes, stops and resumes',
    who: ({ agents, top, isOutOfReach }) =>
      agents.filter(
        (one) =>
          top.state === 'ended' && one !== top && ['idle', 'ended'].includes(one.state) && !isOutOfReach(one),
      ),
    async run(model, real, agent) {
      const { play, runs, next } = real;
      real.next += 1;
      const id = runs.get(agent) ?? '';
      model.person(agent, `p${next}`);
      await play.send(id, `p${next}`);
      await check(model, real);
      model.stopOne(agent);
      const run = (await play.tree()).find((one) => one.id === id);
      await play.account.stop(run?.execution ?? '');
      await play.settle();
      await check(model, real);
      model.resume();
      await play.account.resume(play.root);
      await play.settle();
    },
  },
  {
    name: 'crash and resume',
    who: ({ agents, top }) => (agents.some(isOpen) && !agents.some(isWokenInCall) ? [top] : []),
    async run(model, { play }) {
      play.account.crash();
      model.crash();
      model.resume();
      const isOver =
        model.top.state === 'ended' && model.agents.every((one) => one.state === 'idle' || !isOpen(one));
      await play.account.resume(play.root).catch((thrown: unknown) => {
        if (!isOver) throw thrown;
      });
      await play.settle();
    },
  },
  {
    name: 'time passes',
    who: ({ top }) => [top],
    async run(model, { play }) {
      model.passTime();
      await play.account.pass(601_000);
      await play.settle();
    },
  },
];

/** A sub-agent that another agent has woken: its caller may take it up again if the turn after the call is lost. */
function isWokenInCall(agent: Agent): boolean {
  return agent.parent?.calls === agent && agent.parent.state !== 'calls' && isOpen(agent);
}

function isOfTop({ parent, isFork: isOne }: Agent): boolean {
  return parent === undefined || (isOne && isOfTop(parent));
}

/** The result of an agent's last call. */
async function resultOf({ play, runs }: Real, agent: Agent): Promise<string> {
  const id = runs.get(agent) ?? '';
  const turns = await play.account.store().turns(id);
  const pending = play.asked(id)?.request.messages ?? [];
  const told = [
    ...turns.flatMap(({ received }) => received),
    ...pending.filter(({ role }) => role === 'tool').slice(-1),
  ];
  const results = told.flatMap((message) => (message.role === 'tool' ? message.results : []));
  return results.findLast(({ name }) => name === 'kill' || name === 'mail_send')?.text ?? '';
}

function toCommand(spec: Spec): fc.Arbitrary<Command> {
  return fc.tuple(fc.nat(20), fc.nat(20)).map(([one, two]) => {
    return {
      check: (model) => spec.who(model).length > 0,
      async run(model, real) {
        const agent = pick(spec.who(model), one);
        const other = pick(model.agents, two);
        if (agent === undefined || other === undefined) return;
        real.story.push(`${agent.name}: ${spec.name} (${other.name})`);
        await spec.run(model, real, agent, other);
        await check(model, real);
      },
      toString: () => spec.name,
    };
  });
}

export const commands = (maxCommands: number) =>
  fc.commands(SPECS.map(toCommand), { maxCommands, size: 'max' });
