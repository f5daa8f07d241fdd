/**
 * The expected fate of a tree of agents: no executions, no store, no order of operations. Each command is carried out
 * to its end before the next one begins.
 */

/** `rests`: it has answered, and waits for the agents below it. `idle`: the same of a fork, which has no execution. */
export type State =
  'asked' | 'waits' | 'asks' | 'calls' | 'rests' | 'idle' | 'ended' | 'failed' | 'stopped' | 'killed';

interface Letter {
  body: string;
  /** Absent: a person. */
  from?: Agent;
  /** Set for the end of an agent in the background, which is told as a person's words are. */
  isEnd?: true;
}

export interface Agent {
  name: string;
  parent?: Agent;
  isFork: boolean;
  /** Whether it was opened from its own file, and goes on beside its caller all the same. */
  isBackground: boolean;
  /** How many forks it is away from an agent that is none. */
  forks: number;
  state: State;
  /** Before it was stopped. */
  before?: State;
  unread: Letter[];
  /** The messages that it has been told, in order. */
  seen: string[];
  /** How many of them its model has said something after. */
  heard: number;
  /** What its model was told when it failed, after an answer: it is told again when it goes on. */
  owed: string[];
  /** Whether it has answered since a person last wrote to it. */
  hasAnswered: boolean;
  /** Whom it waits for. */
  waitsFor?: Agent | undefined;
  /** Whether a person has woken it, who reads its answer. */
  isForPerson: boolean;
  /** Whether it has answered and is still to tell of that: others below it may be at work. */
  isHeldBack: boolean;
  /** The agent that is told of its answer, if it is no fork. */
  wokenBy?: Agent | undefined;
  answers: string[];
  /** The sub-agent that it called with its last turn. */
  calls?: Agent | undefined;
  /** Whether its last turn made calls: until it has made none, it is not told of agents' messages. */
  hasWork: boolean;
  /** Whether it can look into its mailbox. */
  mayLook: boolean;
}

export const MAX_FORKS = 3;

const AT_WORK: readonly State[] = ['asked', 'waits', 'asks', 'calls'];
const DEAD: readonly State[] = ['failed', 'stopped', 'killed'];

export const isAtWork = ({ state }: Agent) => AT_WORK.includes(state);
export const isDead = ({ state }: Agent) => DEAD.includes(state);
export const isOpen = (agent: Agent) => isAtWork(agent) || agent.state === 'rests' || agent.state === 'idle';

export class PlainModel {
  readonly top: Agent = newAgent('top', undefined, false);
  readonly agents: Agent[] = [this.top];

  below(agent: Agent): Agent[] {
    return this.agents.filter((one) => one !== agent && isBelow(one, agent));
  }

  /** Whether nothing brings it back to work: an agent above it was ended, and it is not at work. */
  isOutOfReach(agent: Agent): boolean {
    if (isDead(agent)) return true;
    for (let up = agent.parent; up !== undefined && !isOpen(agent); up = up.parent) {
      if (isDead(up)) return true;
      if (isOpen(up)) return false;
    }
    return false;
  }

  fork(by: Agent, name: string): Agent | undefined {
    heed(by);
    let child: Agent | undefined;
    if (by.forks < MAX_FORKS) {
      child = newAgent(name, by, true);
      this.agents.push(child);
    }
    this.#goOn(by);
    return child;
  }

  call(by: Agent, name: string, mayLook: boolean): Agent {
    heed(by);
    const child = newAgent(name, by, false, mayLook);
    this.agents.push(child);
    by.state = 'calls';
    by.calls = child;
    return child;
  }

  callBeside(by: Agent, name: string, mayLook: boolean): Agent {
    by.heard = by.seen.length;
    const child = newAgent(name, by, false, mayLook);
    child.isBackground = true;
    this.agents.push(child);
    this.#goOn(by);
    return child;
  }

  mail(from: Agent, to: Agent, body: string): boolean {
    heed(from);
    const isSent = !this.isOutOfReach(to);
    if (isSent) this.#deliver(to, { body, from }, from);
    this.#goOn(from);
    return isSent;
  }

  /** @returns the killer's answer, but for the ids; undefined if it is done */
  kill(by: Agent, target: Agent): string | undefined {
    heed(by);
    const refusal = this.#refusalToKill(by, target);
    if (refusal === undefined) {
      // An agent in the background that has answered has ended before.
      const isToTell = target.parent !== by && !(target.isBackground && target.state === 'idle');
      for (const one of [target, ...this.below(target)]) if (isOpen(one)) one.state = 'killed';
      if (isToTell) this.#report(target, lastOf(target));
      this.#tellCaller(target);
    }
    this.#goOn(by);
    this.#lookRound();
    return refusal;
  }

  wait(by: Agent, from?: Agent): void {
    heed(by);
    by.state = 'waits';
    by.waitsFor = from;
    this.#lookRound();
  }

  ask(by: Agent): void {
    heed(by);
    by.state = 'asks';
  }

  answerQuestion(of: Agent): void {
    this.#goOn(of);
  }

  answer(by: Agent, text: string): void {
    heed(by);
    by.answers.push(text);
    by.hasAnswered = true;
    if (by.unread.length > 0) this.#readAll(by);
    else this.#rest(by);
  }

  /** Its answer stands, unless it works for a person. */
  fail(by: Agent): void {
    // It is asked for the same turn if it goes on, and calls a sub-agent again that somebody has woken since.
    const { calls } = by;
    by.before = calls !== undefined && isOpen(calls) ? 'calls' : 'asked';
    if (by.hasAnswered || by.before === 'calls') {
      const lost = by.seen.splice(by.heard);
      by.owed.push(...lost.filter((one) => calls?.answers.includes(one) !== true));
    }
    if (by.hasAnswered) {
      if (by.unread.length === 0) return this.#rest(by);
      this.#readAll(by);
      // Without a look into its mailbox, this is the turn that fails.
      if (!by.hasWork) this.fail(by);
      return;
    }
    by.state = 'failed';
    this.#stopBelow(by);
    this.#report(by, lastOf(by));
    this.#tellCaller(by);
    this.#lookRound();
  }

  /** @returns whether it is accepted */
  person(to: Agent, body: string): boolean {
    const mayComeBack = to.state !== 'killed' && !this.#hasDeadAbove(to);
    if (!mayComeBack) return false;
    if (isDead(to)) {
      to.wokenBy = undefined;
      to.isForPerson = true;
      to.unread.push({ body });
      this.#revive(to);
      this.#lookRound();
      return true;
    }
    this.#deliver(to, { body }, undefined);
    return true;
  }

  stop(): void {
    this.#stopBelow(this.top);
    stopOne(this.top);
  }

  /** One agent and everything below it. */
  stopOne(agent: Agent): void {
    this.#stopBelow(agent);
    stopOne(agent);
    this.#report(agent, lastOf(agent));
    this.#tellCaller(agent);
    this.#lookRound();
  }

  /** Everything is begun again that was under way. */
  crash(): void {
    for (const one of this.agents) if (one.state === 'asked') this.#askAgain(one);
  }

  /**
   * Every stopped agent goes on, as it was. Where the top has its answer, those go on whose answers people wait for,
   * with everything below them.
   */
  resume(): void {
    const owed = this.agents.filter((one) => one.state === 'stopped' && isOwedToPerson(one));
    for (const one of this.agents) {
      const isWanted = this.top.state !== 'ended' || owed.some((each) => each === one || isBelow(one, each));
      const mayGoOn = (one.state === 'stopped' && isWanted) || (one === this.top && one.state === 'failed');
      if (!mayGoOn || this.#hasDeadAbove(one)) continue;
      one.state = one.before ?? one.state;
      if (one.state === 'asked') this.#askAgain(one);
    }
    this.#lookRound();
  }

  passTime(): void {
    for (const one of this.agents) if (one.state === 'waits') this.#goOn(one);
  }

  #rest(agent: Agent): void {
    if (isBeside(agent)) {
      agent.state = 'idle';
      agent.isHeldBack = !this.#isDone(agent);
      if (!agent.isHeldBack) this.#report(agent, lastOf(agent));
    } else {
      agent.state = 'rests';
    }
    this.#lookRound();
  }

  /** Whether nothing below it is at work, or is still to tell of its end. */
  #isDone(agent: Agent): boolean {
    return !this.below(agent).some(
      (each) => isAtWork(each) || each.state === 'rests' || (each.state === 'idle' && each.isHeldBack),
    );
  }

  #hasDeadAbove(agent: Agent): boolean {
    for (let up = agent.parent; up !== undefined && !isOpen(agent); up = up.parent) {
      if (isDead(up)) return true;
      if (isOpen(up)) return false;
    }
    return false;
  }

  #refusalToKill(by: Agent, target: Agent): string | undefined {
    if (target === this.top) return 'CANNOT_KILL_ROOT';
    if (target === by || isBelow(by, target)) return 'CANNOT_KILL_PARENT';
    return isOpen(target) ? undefined : 'Agent is already dead';
  }

  #stopBelow(agent: Agent): void {
    for (const one of this.below(agent)) {
      if (isOpen(one)) stopOne(one);
    }
  }

  /** An agent that was ended goes on with its last work, and with the agents that it had called. */
  #revive(agent: Agent): void {
    agent.state = agent.before ?? 'asked';
    const { calls } = agent;
    if (agent.state === 'asked') this.#askAgain(agent);
    else if (agent.state === 'rests' || agent.state === 'idle') this.#readAll(agent);
    else if (agent.state === 'calls' && calls?.state === 'stopped') this.#revive(calls);
  }

  /** The same turn, which is told of what has come meanwhile. */
  #askAgain(agent: Agent): void {
    if (agent.hasWork) this.#goOn(agent);
    else this.#readAll(agent);
  }

  /** Its model is asked again, and told what people wrote. */
  #goOn(agent: Agent): void {
    agent.state = 'asked';
    agent.hasWork = true;
    this.#read(agent, isToldAsItIs);
  }

  /** It has nothing else to do, and looks into its mailbox if there is anything. */
  #readAll(agent: Agent): void {
    agent.state = 'asked';
    agent.hasWork = agent.mayLook && agent.unread.some((letter) => !isToldAsItIs(letter));
    this.#read(agent, isToldAsItIs);
    if (agent.hasWork) agent.heard = agent.seen.length;
    this.#read(agent, () => true);
  }

  #read(agent: Agent, which: (letter: Letter) => boolean): void {
    const letters = agent.unread.filter(which);
    if (letters.some(({ from }) => from === undefined)) agent.hasAnswered = false;
    agent.seen.push(...agent.owed.splice(0), ...letters.map(({ body }) => body));
    agent.unread = agent.unread.filter((letter) => !which(letter));
  }

  #deliver(to: Agent, letter: Letter, wokenBy: Agent | undefined): void {
    to.unread.push(letter);
    if (wokenBy !== undefined) to.isForPerson = false;
    // Once it has ended, its answer to a report has no reader.
    const isReport = letter.from !== undefined && wokenBy === undefined;
    if (isReport && to.state === 'ended') return this.#lookRound();
    if (to.state === 'idle' || to.state === 'ended') {
      to.wokenBy = wokenBy;
      to.isForPerson = letter.from === undefined;
      this.#readAll(to);
    } else if (to.state === 'rests') {
      this.#readAll(to);
    }
    this.#lookRound();
  }

  #report(from: Agent, body: string): void {
    if (from.isForPerson) return;
    const to = isBeside(from) ? from.parent : from.wokenBy;
    if (to === undefined || this.isOutOfReach(to)) return;
    this.#deliver(to, { body, from, ...(from.isBackground && { isEnd: true }) }, undefined);
  }

  /** The agent that has called it goes on. */
  #tellCaller(agent: Agent): void {
    const { parent } = agent;
    if (parent?.state !== 'calls' || parent.calls !== agent) return;
    if (agent.state === 'ended') parent.seen.push(lastOf(agent));
    this.#goOn(parent);
  }

  /** Those who wait find out whether they still do. */
  #lookRound(): void {
    for (const one of this.agents) {
      if (one.state === 'waits' && this.#hasArrived(one)) {
        const { waitsFor } = one;
        const taken = one.unread.find(
          ({ from }) => from !== undefined && (waitsFor === undefined || from === waitsFor),
        );
        one.unread = one.unread.filter((letter) => letter !== taken);
        if (taken !== undefined) one.seen.push(taken.body);
        this.#goOn(one);
      }
      // Those below it end first: their reports reach it while it still rests.
      if (one.state === 'idle' && one.isHeldBack && this.#isDone(one)) {
        one.isHeldBack = false;
        this.#report(one, lastOf(one));
        return this.#lookRound();
      }
      if (one.state === 'rests' && this.#isDone(one)) {
        one.state = 'ended';
        this.#report(one, lastOf(one));
        this.#tellCaller(one);
        return this.#lookRound();
      }
    }
  }

  #hasArrived({ unread, waitsFor }: Agent): boolean {
    if (unread.some(({ from }) => from === undefined)) return true;
    if (waitsFor === undefined) return unread.length > 0;
    return !isAtWork(waitsFor) || unread.some(({ from }) => from === waitsFor);
  }
}

const isBeside = ({ isFork, isBackground }: Agent) => isFork || isBackground;

const isToldAsItIs = ({ from, isEnd }: Letter) => from === undefined || isEnd === true;

function isBelow(agent: Agent, above: Agent): boolean {
  for (let up = agent.parent; up !== undefined; up = up.parent) if (up === above) return true;
  return false;
}

function isOwedToPerson({ isForPerson, unread }: Agent): boolean {
  return isForPerson || unread.some(({ from }) => from === undefined);
}

const lastOf = ({ answers }: Agent) => answers.at(-1) ?? '';

/** Its model has said something after all that it was told. */
function heed(agent: Agent): void {
  agent.heard = agent.seen.length;
  agent.calls = undefined;
}

function stopOne(agent: Agent): void {
  agent.before = agent.state;
  // Its model's answer meanwhile is kept.
  if (agent.state === 'asked') {
    agent.hasWork = true;
    heed(agent);
  }
  agent.state = 'stopped';
}

function newAgent(name: string, parent: Agent | undefined, isFork: boolean, mayLook = true): Agent {
  return {
    name,
    ...(parent !== undefined && { parent }),
    isFork,
    isBackground: false,
    isForPerson: false,
    isHeldBack: false,
    forks: isFork && parent !== undefined ? parent.forks + 1 : 0,
    state: 'asked',
    unread: [],
    seen: [],
    heard: 0,
    owed: [],
    hasAnswered: false,
    answers: [],
    hasWork: false,
    mayLook,
  };
}
