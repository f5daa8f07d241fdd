import type { Instant } from '../../../core/records/times.ts';
import { createBackground } from '../../../background.ts';
import { ConfigError } from '../../../errors.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import type { Environment } from '../../../places/environment.ts';
import { NOTHING_GIVEN, toMessage, type GivenInput } from '../../../places/given-input.ts';
import { unlessEnded } from '../../../places/environment-errors.ts';
import { tellDuring } from '../../../places/follow/tell-during.ts';
import { findAgent } from '../../../core/records/arrivals.ts';
import { newRunId } from '../../../core/records/run-id.ts';
import type { RunRequest } from '../../../core/records/request.ts';
import { closingReason } from '../../../core/records/closing-reason.ts';
import { OPEN, UNDER_WAY, isIn } from '../../../core/records/phase.ts';
import { nameOf, runsBelow, type Run } from '../../../core/records/run.ts';
import { isAnswer, resultTurn } from '../../../core/records/turn.ts';
import { failureText } from '../terminal/closing-text.ts';
import type { TurnKey } from '../terminal/streamed-answers.ts';

/** The display of a session, on a terminal or elsewhere. */
export interface ChatScreen {
  /** Shows an agent's answer, of which some may have been seen in the events of its turn. */
  answer(agent: string, text: string, at: TurnKey): void;
  /** Everything else that a person reads. */
  tell(text: string): void;
  /** Shows what happens in the tree while it works. */
  show(event: RunEvent): void;
  /** Columns of a line; absent where it is no terminal. */
  width?(): number;
}

export interface SessionPorts {
  environment: Environment;
  /** The request that the first message of a new conversation starts. */
  toRequest(prompt: string, given: GivenInput): RunRequest;
  screen: ChatScreen;
  now: () => Instant;
  /** The writer, if known. */
  user?: string | undefined;
}

/** The facts about an agent that are known from the moment at which it is started. */
export type Partner = Pick<Run, 'id' | 'root' | 'agent' | 'name'>;

/** A person's conversation with the agents of one tree, one of them at a time. */
export interface Session {
  /** The agent that is talked to; undefined until the first message. */
  current(): Partner | undefined;
  /** All agents of the tree. */
  tree(): Promise<Run[]>;
  /** Talks to another agent from now on. */
  turnTo(run: Partner): void;
  /** @throws {ConfigError} if none goes by that uuid or name */
  find(agent: string): Promise<Run>;
  /**
   * Sends a message to the agent and shows its answer; to an agent at work it is one more message.
   * @param given what is attached to it; absent: nothing
   */
  say(text: string, given?: GivenInput): Promise<void>;
  /** Writes to any agent of the tree, and waits until the execution that this starts has ended, if it starts one. */
  write(run: Partner, text: string): Promise<unknown>;
  /**
   * Ends an agent and everything below it. Agents that continue because of that do so in the background.
   * @throws {ConfigError} if there is no such agent to end
   */
  kill(run: Run): Promise<void>;
  /** Waits until nothing goes on any more that a kill has set in motion. */
  rested(): Promise<void>;
  /** Stops the work under way. */
  stop(cause: string): Promise<void>;
}

/** @param from the run to go on with; undefined for a new one */
export function createSession(from: Run | undefined, ports: SessionPorts): Session {
  const { environment, screen, toRequest, now, user } = ports;
  const { records } = environment;
  let current: Partner | undefined = from;
  /** The agents whose answers are awaited: a line to one of them is one more message. */
  const busy = new Set<string>();
  /** The work of agents that go on after a kill. */
  const behind = createBackground();
  const shown = createShowing(ports);
  /** The start of a new conversation, which has no record before that. */
  let starting: Promise<unknown> | undefined;

  async function begin(prompt: string, given: GivenInput): Promise<void> {
    const request = toRequest(prompt, given);
    const id = newRunId(request.agent, now());
    current = { id, root: id, agent: request.agent };
    try {
      await answered(current, () =>
        shown(id, async () => {
          starting = environment.start({ id, request, files: given.files });
          await starting;
          return true;
        }),
      );
    } finally {
      if ((await records.run(id)) === undefined) current = undefined;
    }
  }

  /** @returns whether its result is there now: another process may carry the tree out */
  async function write(to: Partner, text: string, given = NOTHING_GIVEN): Promise<boolean> {
    const isHere = await shown(to.root, async () => {
      const before = await records.run(to.id);
      const { isLeftToAnother } = await environment.send({ run: to.id, ...toMessage(text, given), by: user });
      if (isLeftToAnother) return false;
      // One that is at work reads it there, as do agents that go on after a kill.
      if (before !== undefined && isIn(UNDER_WAY, before)) await behind.done();
      else await environment.ended(to.id);
      return true;
    });
    if (isHere) return true;
    screen.tell(`sent; another process carries this tree out: follow it with: cadre watch ${to.root}\n`);
    return false;
  }

  const lastTurn = async ({ id }: Partner) => (await records.newestTurn(id))?.number ?? 0;

  /**
   * Shows everything that an agent has answered once the work is done, if it is done here.
   * @param since the turn after which texts are answers; absent: its last one
   */
  async function answered(to: Partner, work: () => Promise<boolean>, since?: number): Promise<void> {
    const { id } = to;
    const before = since ?? (await lastTurn(to));
    busy.add(id);
    try {
      if (!(await work())) return;
    } finally {
      busy.delete(id);
    }
    await showAnswers(before, id, ports);
  }

  const tree = async () => (current === undefined ? [] : records.tree(current.root));

  return {
    current: () => current,
    tree,
    write,
    turnTo: (run) => void (current = run),
    async find(agent) {
      const run = findAgent(await tree(), agent);
      if (run === undefined) throw new ConfigError(`Agent not found: ${agent}`);
      return run;
    },

    async say(text, given = NOTHING_GIVEN) {
      const to = current;
      if (to === undefined) await begin(text, given);
      else if (busy.has(to.id)) await write(to, text, given);
      else await answered(to, () => write(to, text, given));
    },

    async kill(run) {
      const all = await tree();
      const above = all.find(({ id }) => id === run.parent?.run);
      const isTalkedTo = [run, ...runsBelow(run, all)].some(({ id }) => id === current?.id);
      const to = (isTalkedTo ? above : current) ?? run;
      const before = await lastTurn(to);
      const ended = await environment.kill(run);
      screen.tell(`killed ${ended.join(', ')}\n`);
      if (isTalkedTo) {
        current = to;
        screen.tell(`you talk to ${nameOf(to)} now\n`);
      }
      const goesOn = (await records.isCarriedOut(run.root)) && (await tree()).some((one) => isIn(OPEN, one));
      if (!goesOn) return;
      screen.tell('the others of its tree go on\n');
      const rest = () => shown(run.root, async () => true);
      behind.begin(busy.has(to.id) ? rest() : answered(to, rest, before));
    },

    rested: behind.rested,

    async stop(cause) {
      await starting?.catch(() => {}); // `begin` throws it
      const underWay = (await tree()).filter((one) => isIn(UNDER_WAY, one));
      // With the top, all below it is stopped.
      const tops = underWay.filter(({ parent }) => parent === undefined);
      const stopped = tops.length > 0 ? tops : underWay;
      await Promise.all(stopped.map((run) => environment.stop(run, cause, user).catch(unlessEnded)));
    },
  };
}

/**
 * Does something in a tree, and shows its events until all of it rests.
 * @param work returns whether anything of it is done here
 */
type Showing = (root: string, work: () => Promise<boolean>) => Promise<boolean>;

/** Shows a tree once, however much is done in it at the same time. */
function createShowing({ environment, screen }: SessionPorts): Showing {
  let isShown = false;
  return async (root, work) => {
    if (isShown) return work();
    isShown = true;
    try {
      const from = await environment.told(root);
      const { signal } = new AbortController();
      return await tellDuring(
        (until) => environment.follow(root, { from, live: true, signal, until }),
        ({ event }) => screen.show(event),
        async () => {
          const isHere = await work();
          if (isHere) await environment.ended(root, { wholeTree: true });
          return isHere;
        },
      );
    } finally {
      isShown = false;
    }
  };
}

/** Shows what an agent has answered since a turn, and why there is no more. */
async function showAnswers(
  before: number,
  id: string,
  { environment: { records }, screen }: SessionPorts,
): Promise<void> {
  const run = await records.run(id);
  if (run === undefined) return screen.tell('Error: interrupted by the user\n');
  // A message that comes while it works is answered in a later turn than the one before.
  const made = (await records.turns(id)).filter(({ number }) => number > before);
  const answers = made.filter(isAnswer);
  const cut = run.status === 'budget_exceeded' ? resultTurn(run, made) : undefined;
  for (const { answer, number } of cut === undefined ? answers : [...answers, cut]) {
    screen.answer(nameOf(run), answer.text, { run: id, turn: number });
  }
  if (run.failure !== undefined) screen.tell(`Error: ${failureText(run)}\n`);
  else if (closingReason(run) !== '') screen.tell(`${closingReason(run)}\n`);
}
