import { isBeside, type Run, type RunStatus } from './run.ts';

/**
 * The phase of a run. It is read from its record, and from the waits of its tree, and never stored: the stored status
 * says less.
 *
 * | stored                              | phase                                                               |
 * | ----------------------------------- | ------------------------------------------------------------------- |
 * | no record, its name is claimed      | `starting`                                                          |
 * | `running`                           | `opening`, `working`, one of four that wait, or `closing`           |
 * | `idle`                              | `resting`: its execution waits for others; `idle`: it has none        |
 * | `succeeded`, `budget_exceeded`      | `answered`, `limited`                                               |
 * | `failed`, `timed_out`               | `failed`                                                            |
 * | `stopped`                           | `stopped`, or `killed`, as its failure says                         |
 */
export type Phase =
  | 'starting'
  | 'opening'
  | 'working'
  | 'waiting_person'
  | 'waiting_mail'
  | 'waiting_agents'
  | 'waiting_batch'
  | 'closing'
  | 'resting'
  | 'idle'
  | 'answered'
  | 'limited'
  | 'failed'
  | 'stopped'
  | 'killed';

/** The phases in which a run is at work: the machine, a model, a tool or a wait goes on. */
export const AT_WORK = phases(
  'starting',
  'opening',
  'working',
  'waiting_person',
  'waiting_mail',
  'waiting_agents',
  'waiting_batch',
  'closing',
);

/** The phases in which an execution carries a run, which ends without any message. */
export const UNDER_WAY = phases(...AT_WORK, 'resting');

/** The phases in which a run works, or is ready to. */
export const OPEN = phases(...UNDER_WAY, 'idle');

/** The phases in which a run has an answer, even one that a budget cut short. */
export const ANSWERED = phases('answered', 'limited');

/** The phases in which a run has given its newest answer. */
export const AT_REST = phases(...ANSWERED, 'resting', 'idle');

/** The phases in which no agent reaches a run any more. */
export const DEAD = phases('failed', 'stopped', 'killed');

/** The phase from which nothing brings a run back. */
export const GONE = phases('killed');

/** The phases in which nothing is left to do. A stopped run has not ended: it continues when its tree does. */
export const ENDED = phases(...ANSWERED, 'failed', 'killed');

/** The parts of a record that tell the phase of a run. */
export type Phased = Pick<Run, 'status'> &
  Partial<Pick<Run, 'beside' | 'derivedBy' | 'exceeded' | 'failure'>>;

/** The facts about a run besides its record. */
export interface PhaseFacts {
  /** False while its conversation has not been saved yet. */
  isOpened?: boolean;
  /** The wait of its execution; absent: none, or not known. */
  waitsFor?: 'person' | 'mail' | 'agents' | 'batch' | undefined;
}

/** The failure of an agent that was killed, which nothing brings back. */
export const KILLED = 'Killed';

/**
 * The phase of a run.
 * @param run undefined: it has a name, and no record yet
 * @param facts absent: as far as the record tells, in which a run that waits is at work
 */
export function phaseOf(run: Phased | undefined, { isOpened = true, waitsFor }: PhaseFacts = {}): Phase {
  switch (run?.status) {
    case undefined:
      return 'starting';
    case 'running':
      if (!isOpened) return 'opening';
      if (run.exceeded !== undefined) return 'closing';
      return waitsFor === undefined ? 'working' : `waiting_${waitsFor}`;
    case 'idle':
      return isBeside(run) ? 'idle' : 'resting';
    case 'succeeded':
      return 'answered';
    case 'budget_exceeded':
      return 'limited';
    case 'failed':
    case 'timed_out':
      return 'failed';
    case 'stopped':
      return run.failure?.error === KILLED ? 'killed' : 'stopped';
  }
}

/** Whether a run is in one of these phases, by its record, which does not say whether it is interrupted. */
export function isIn(
  phases: ReadonlySet<Phase>,
  run: Phased | (Omit<Phased, 'status'> & { status: 'interrupted' }),
): boolean {
  return run.status !== 'interrupted' && phases.has(phaseOf(run));
}

/** A set of phases. */
export function phases(...named: Phase[]): ReadonlySet<Phase> {
  return new Set(named);
}

/** A stored status, with `killed` as one of its own; `none`: there is no record yet. */
export type Stored = RunStatus | 'killed' | 'none';

/** A change of a stored status, or of the execution that carries a run. */
export interface Transition {
  from: readonly Stored[];
  to: readonly Stored[];
  /** Whether the execution that carries the run makes it, or one that takes the run over. */
  holder: 'same' | 'higher';
}

/**
 * Every change of a stored status that there is. A change that leaves status and holder as they are is a note. The
 * store refuses every other change. Above each stands the part of the code that makes it.
 */
export const TRANSITIONS: readonly Transition[] = [
  // Starting or opening: the first execution is number 1.
  { from: ['none'], to: ['running'], holder: 'higher' },
  // An agent that works beside its caller, ahead of its execution; or a person's fork, which has no execution before
  // its first message.
  { from: ['none'], to: ['running', 'idle'], holder: 'same' },
  // Resting, after an answer.
  { from: ['running'], to: ['idle'], holder: 'same' },
  // A turn, or resting.
  { from: ['running'], to: ['succeeded', 'budget_exceeded'], holder: 'same' },
  // Settling.
  { from: ['running', 'idle'], to: ['failed', 'timed_out', 'stopped'], holder: 'same' },
  // Ending agents.
  { from: ['running', 'idle'], to: ['stopped', 'killed'], holder: 'same' },
  // Resting, once its forks are done.
  { from: ['idle'], to: ['succeeded', 'budget_exceeded'], holder: 'same' },
  // A turn, or resting, for a message.
  { from: ['idle', 'succeeded'], to: ['running'], holder: 'same' },
  // Recovering, ahead of the execution.
  { from: ['stopped'], to: ['running', 'idle'], holder: 'same' },
  // An execution that takes the run over.
  {
    from: ['running', 'idle', 'succeeded', 'budget_exceeded', 'failed', 'timed_out', 'stopped'],
    to: ['running'],
    holder: 'higher',
  },
];

/** A run without a record, as the table compares it. */
const NONE = { holder: 0, execution: '' };

/**
 * The rows of the table by which a record may become another; undefined: only notes differ.
 * @param before undefined: the record is the first of its run
 */
export function transitionsOf(before: Run | undefined, after: Run): readonly Transition[] | undefined {
  const [from, to] = [storedOf(before), storedOf(after)];
  const { holder: carrier, execution } = before ?? NONE;
  if (from === to && carrier === after.holder && execution === after.execution) return undefined;
  const holder = after.holder > carrier ? 'higher' : 'same';
  if (holder === 'same' && (after.holder < carrier || after.execution !== execution)) return [];
  return TRANSITIONS.filter((row) => row.holder === holder && row.from.includes(from) && row.to.includes(to));
}

/**
 * @param before as in `transitionsOf`
 * @throws {Error} if no row of the table has the change, which is then a fault of the program
 */
export function assertTransition(before: Run | undefined, after: Run): void {
  if (transitionsOf(before, after)?.length !== 0) return;
  const to = `${storedOf(after)} (holder ${after.holder})`;
  throw new Error(
    before === undefined
      ? `run "${after.id}" cannot begin as ${to}`
      : `run "${before.id}" cannot become ${to}: it is ${storedOf(before)} (holder ${before.holder})`,
  );
}

function storedOf(run: Run | undefined): Stored {
  if (run === undefined) return 'none';
  return phaseOf(run) === 'killed' ? 'killed' : run.status;
}
