import { createHash, randomInt } from 'node:crypto';

/**
 * Ids of runs. They are names of executions too, so they keep to what Step Functions takes: at most 80 characters of
 * `[0-9A-Za-z_-]` (docs.aws.amazon.com, StartExecution). `<agent>-<key>` at the top of a tree,
 * `<agent>-<key>-t1c2_t3c1` below it: agent, tree and place in the tree can be read off in the console, and the name
 * of a child follows from its parent's, so that a repeated start finds the child that is there.
 *
 * 24 characters of the agent's name, 14 of the key and five levels of at most `t50c100` are 79.
 */
const RUN_ID = /^(?<agent>[A-Za-z0-9_-]{1,24})-(?<key>[0-9a-z]{14})(?:-(?<path>t\d+c\d+(?:_t\d+c\d+)*))?$/;
const AGENT_CHARACTERS = 24;
const KEY_CHARACTERS = 14;
const TIME_CHARACTERS = 8;

/** The id of a new tree's top. Keys sort by the time they were made (until 2059). */
export function newRunId(agent: string, now: number): string {
  let key = timeKey(now);
  while (key.length < KEY_CHARACTERS) key += randomInt(36).toString(36);
  return `${shorten(agent)}-${key}`;
}

/**
 * The id of the tree's top that belongs to a moment and an agent: whoever asks for the same gets the same, so that two
 * starts of one tick of a schedule make one run. A shortened name, or that of another agent at the same moment, gives
 * another key.
 */
export function tickRunId(agent: string, at: number): string {
  return `${shorten(agent)}-${timeKey(at)}${tickKey(agent)}`;
}

/** The part of such an id's key that is the agent's own; before it stands the time in milliseconds, to base 36. */
export function tickKey(agent: string): string {
  return digestOf(agent).slice(0, KEY_CHARACTERS - TIME_CHARACTERS);
}

/** The id of the run that a call of a parent's turn asks for. */
export function childRunId(parent: string, turn: number, call: number, agent: string): string {
  const { key, path } = parseRunId(parent);
  const step = `t${turn}c${call}`;
  return `${shorten(agent)}-${key}-${path === '' ? step : `${path}_${step}`}`;
}

/** The id of the run that an execution carries: its name, or one made from a name that somebody else chose. */
export function runIdOfExecution(name: string): string {
  if (RUN_ID.test(name)) return name;
  return `run-${digestOf(name).slice(0, KEY_CHARACTERS)}`;
}

export interface RunIdParts {
  /** What all runs of a tree have in common. */
  key: string;
  /** The place in the tree: "" at the top, `t1c2` for the second call of its first turn. */
  path: string;
}

/** Whether a text has the form of a run's id; anything else must not reach the store. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** @throws {RangeError} if the text is no run's id: callers check what comes from outside with `isRunId` */
export function parseRunId(id: string): RunIdParts {
  const groups = RUN_ID.exec(id)?.groups;
  if (groups?.['key'] === undefined) throw new RangeError(`not the id of a run: "${id}"`);
  return { key: groups['key'], path: groups['path'] ?? '' };
}

function timeKey(at: number): string {
  return at.toString(36).padStart(TIME_CHARACTERS, '0');
}

/** To base 36. */
function digestOf(text: string): string {
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString(36);
}

/** A `sub_agents` list may name what cannot be an agent; that is told when it is loaded, in a run with an id. */
function shorten(agent: string): string {
  return agent.slice(0, AGENT_CHARACTERS).replace(/[^A-Za-z0-9_-]/g, '_');
}
