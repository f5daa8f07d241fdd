import { callName } from './call.ts';
import { createHash, randomInt } from 'node:crypto';
import { memoize } from '../../memoize.ts';

/**
 * Ids of runs: at most 64 characters of `[0-9A-Za-z_-]`, so that an execution can be named for its run with room for
 * the suffix that tells several of one run apart (at most 80; docs.aws.amazon.com, StartExecution). `<agent>-<key>` at
 * the top of a tree, `<agent>-<key>-t1c2_t3c1` below it: agent, tree and place can be read off in the console. That is
 * for people: parent and path are fields of a run's record, and the key alone, by which the store finds the tree, is
 * read from ids.
 *
 * 24 characters of the agent's name, 14 of the key and 24 of the path are 64 with the separators.
 */
const RUN_ID = /^[A-Za-z0-9_-]{1,24}-(?<key>[0-9a-z]{14})(?:-t\d+c\d+(?:_[0-9a-z]+)*)?$/;
const AGENT_CHARACTERS = 24;
const KEY_CHARACTERS = 14;
const TIME_CHARACTERS = 8;
const PATH_CHARACTERS = 24;
const DIGEST_CHARACTERS = 12;

/** The id of the top of a new tree. Keys sort by the time at which they were made (until 2059). */
export function newRunId(agent: string, now: number): string {
  let key = timeKey(now);
  while (key.length < KEY_CHARACTERS) key += randomInt(36).toString(36);
  return `${shorten(agent)}-${key}`;
}

/**
 * The id of the top of the tree for an agent and a moment. The same agent and moment always give the same id, so that
 * starting one tick of a schedule twice makes one run. Another agent at the same moment gets another key, even if the
 * shortened names are the same.
 */
export function tickRunId(agent: string, at: number): string {
  return `${shorten(agent)}-${timeKey(at)}${tickKey(agent)}`;
}

/** The texts before and after the time in such an id, which is in milliseconds, to base 36. */
export function tickParts(agent: string): { prefix: string; suffix: string } {
  return { prefix: shorten(agent), suffix: tickKey(agent) };
}

/** The part of such an id's key that is the agent's own. */
export function tickKey(agent: string): string {
  return digestOf(agent).slice(0, KEY_CHARACTERS - TIME_CHARACTERS);
}

/** The part of a run from which the ids of those below it follow. */
interface RunAddress {
  id: string;
  /** "" at the top, `t1c2` for the second call of its first turn. */
  path: string;
}

/**
 * The run that a call of a turn asks for. Planning the same call again gives the same id, and finds the existing run. A
 * path that is too long for an id stands in it as its first step and a digest.
 */
export function childOf(parent: RunAddress, turn: number, call: number, agent: string): RunAddress {
  const step = callName({ turn, call });
  const path = parent.path === '' ? step : `${parent.path}_${step}`;
  const [first = ''] = path.split('_');
  const shown =
    path.length <= PATH_CHARACTERS ? path : `${first}_${digestOf(path).slice(0, DIGEST_CHARACTERS)}`;
  return { id: `${shorten(agent)}-${treeKey(parent.id)}-${shown}`, path };
}

/**
 * The name of the execution that carries a run.
 * @param holder which execution of the run it is, from 1
 */
export function executionName(run: string, holder: number): string {
  return holder === 1 ? run : `${run}-r${holder}`;
}

/**
 * The run that an execution carries whose input names none: its name, less the suffix that tells it from other
 * executions of the run, or an id made from a foreign name.
 */
export function runOfExecution(name: string): string {
  const run = name.replace(/(-r\d+)?(-d\d+)?$/, '');
  return isRunId(run) ? run : `run-${digestOf(name).slice(0, KEY_CHARACTERS)}`;
}

/** Which execution of its run an execution is, by its name: what it was started with and how often it was redriven. */
export function holderOfExecution(name: string): number {
  const [, holder = '1', redrives = '0'] = /(?:-r(\d+))?(?:-d(\d+))?$/.exec(name) ?? [];
  return Number(holder) + Number(redrives);
}

/** Whether a text has the form of a run id; nothing else may reach the store. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text) && text.length <= MAX_ID_CHARACTERS;
}

const MAX_ID_CHARACTERS = 64;

/**
 * The part of the id that all runs of a tree share.
 * @throws {RangeError} if the text is not a run id: callers check input from outside with `isRunId`
 */
export function treeKey(id: string): string {
  const key = keyOf(id);
  if (key === undefined) throw new RangeError(`not the id of a run: "${id}"`);
  return key;
}

/** Each access to the records of a run asks for it. */
const keyOf = memoize((id) => RUN_ID.exec(id)?.groups?.['key']);

/** An id of the tree whose key is in a text that may be the beginning of an id; undefined if it ends before that. */
export function treeIn(beginning: string): string | undefined {
  return /^[A-Za-z0-9_-]{1,24}-[0-9a-z]{14}(?=-|$)/.exec(beginning)?.[0];
}

/** How a tree's key begins, of which a text that may be the beginning of an id has a part; undefined if it has none. */
export function keyBegunIn(beginning: string): string | undefined {
  return /^[A-Za-z0-9_-]{1,24}-([0-9a-z]{1,13})$/.exec(beginning)?.[1];
}

/** Whether an execution, or a run, belongs to the tree that a run is part of. */
export function isOfTree(execution: string, run: string): boolean {
  return treeKey(runOfExecution(execution)) === treeKey(run);
}

/** How the keys of trees begin that were made at a moment: as text, keys are in the order of their time. */
export function timeKey(at: number): string {
  return at.toString(36).padStart(TIME_CHARACTERS, '0');
}

/** The time in the key of a tree, as `timeKey` writes it. */
export function timeOf(key: string): string {
  return key.slice(0, TIME_CHARACTERS);
}

/** When the tree of a run was asked for. */
export function askedAt(id: string): string {
  return new Date(Number.parseInt(timeOf(treeKey(id)), 36)).toISOString();
}

/** The id of a run ahead of all that began at a moment, as a place in a list. No run has it. */
export function firstOf(time: string): string {
  return `before-${time.padEnd(KEY_CHARACTERS, '0')}`;
}

/** To base 36. */
function digestOf(text: string): string {
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString(36);
}

/** A `sub_agents` list may name what cannot be an agent; that is reported when it is loaded, in a run with an id. */
function shorten(agent: string): string {
  return agent.slice(0, AGENT_CHARACTERS).replace(/[^A-Za-z0-9_-]/g, '_');
}
