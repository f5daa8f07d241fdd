import type { Instant } from '../records/times.ts';
import { changesText, denialText, isApproved } from '../records/approval.ts';
import type { CallResult } from '../records/call.ts';
import { resultsIn, type ToolCall } from '../records/message.ts';
import { isGated, type DelegationLimits } from '../records/plan.ts';
import { readOnly } from '../records/read-only.ts';
import type { RunReads } from '../records/ports.ts';
import type { AskedQuestion } from '../records/question.ts';
import type { Opened } from '../records/opened.ts';
import { ENDED, OPEN, isIn } from '../records/phase.ts';
import { branchOf, durationOf, type Run } from '../records/run.ts';
import type { Draft, Turn } from '../records/turn.ts';
import { answerText } from '../steps/ask.ts';
import { ofKind, planned } from '../steps/kinds.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';

/** A run that is watched, with everything below it. */
export type Top = Pick<Run, 'id' | 'root' | 'path'>;

/** The records of a tree that its events are made from. */
export interface TreeRecords {
  /** By run id. */
  runs: ReadonlyMap<string, RunRecords>;
  /** When it was read, in milliseconds since 1970. */
  at: number;
}

/** The records of a run. */
export interface RunRecords {
  run: Run;
  /** Undefined until it has been written. */
  opened: Pick<Opened, 'skill' | 'files'> | undefined;
  turns: TurnRecords[];
  /** Absent where no client watched. */
  draft?: Draft | undefined;
}

export interface TurnRecords {
  turn: Turn;
  /** The run that each call started, in call order; undefined for calls that start none. */
  children: (string | undefined)[];
  /** The question to a person because of each call, in call order; undefined where there was none. */
  questions: (AskedQuestion | undefined)[];
  /** When each call began, in milliseconds since 1970, in call order; undefined where it has not, as far as is known. */
  begins: (number | undefined)[];
  /** How each call ended, in call order; undefined where it has not, as far as is known. */
  ends: (CallEnd | undefined)[];
}

/** How a call ended. `startedAt` is left to its turn. */
export interface CallEnd extends Omit<CallResult, 'startedAt'> {
  /** When, in milliseconds since 1970. */
  at: number;
}

export interface TreeReader {
  /** Reads new records. @returns whether there were any */
  read(): Promise<boolean>;
  /**
   * Reads new records of these runs and nothing else.
   * @param changed with their records, where these have changed
   * @returns whether there were any
   */
  refresh(changed: ReadonlyMap<string, Run | undefined>): Promise<boolean>;
  /** Takes the answer that is being written in a run. */
  hear(run: string): void;
  /** As they are now: reading changes nothing of them. */
  readonly records: TreeRecords;
}

/** The wanted part of a tree; absent: all of it. */
interface Wanted {
  wantedOf?: (runs: Run[]) => Run[];
  /** The turns of which is read what their calls asked and how they ended. */
  isWantedTurn?: (number: number) => boolean;
  /** The answer that is being written in a run, where that can be heard. */
  answerOf?: (run: string) => Draft | undefined;
}

/** A run as the reader keeps it. */
interface Kept extends RunRecords {
  limits: DelegationLimits | undefined;
  /** Whether all of it has been read, up to its end. */
  isWhole: boolean;
}

/**
 * Reads a tree again and again, and each time only records that may have changed: of runs that are at work the next
 * turn, the draft of it and the results of calls, and of those that have ended nothing.
 * @param wanted the part that is read at all
 */
export function createTreeReader(
  top: Top,
  store: RunReads,
  tools: LoadOwnTools,
  now: () => Instant,
  { wantedOf = (all) => all, isWantedTurn = () => true, answerOf = () => undefined }: Wanted = {},
): TreeReader {
  const reading = readOnly(store);
  const runs = new Map<string, Kept>();
  /** The newest record of each run. */
  const tree = new Map<string, Run>();
  let at = 0;
  let newest: number | undefined;

  async function read(): Promise<boolean> {
    at = now();
    const current = store.newest?.();
    if (current !== undefined && current === newest) return false;
    newest = current;
    for (const run of branchOf(top, await store.tree(top.id))) tree.set(run.id, run);
    const wanted = wantedOf([...tree.values()]);
    const changes = await Promise.all(wanted.map((run) => update(run)));
    return changes.includes(true);
  }

  async function refresh(changed: ReadonlyMap<string, Run | undefined>): Promise<boolean> {
    at = now();
    const written = [...changed.values()].filter((run) => run !== undefined);
    for (const run of branchOf(top, written)) tree.set(run.id, run);
    // The end of a run may be the end of a call of its parent's.
    const affected = [...changed.keys()].flatMap((id) => [id, tree.get(id)?.parent?.run]);
    const found = [...new Set(affected)].flatMap((id) => (id === undefined ? [] : (tree.get(id) ?? [])));
    const changes = await Promise.all(wantedOf(found).map((run) => update(run, 'heard')));
    return changes.includes(true);
  }

  /** @param how whether this process would hear of an answer that is being written */
  async function update(run: Run, how?: 'heard'): Promise<boolean> {
    const kept = runs.get(run.id);
    const isSame = kept !== undefined && isAlike(kept.run, run);
    if (isSame && kept.isWhole) return false;
    const [opened, draft, turns] = await Promise.all([
      kept === undefined || kept.limits === undefined ? store.opened(run.id) : undefined,
      answerOf(run.id) ?? (how === 'heard' ? kept?.draft : store.draft(run.id)),
      newTurns(run, kept?.turns.length ?? 0),
    ]);
    // Records that other readers were given stay as they are.
    const entry: Kept = {
      run,
      opened: opened ?? kept?.opened,
      limits: opened?.delegation ?? kept?.limits,
      turns: [...(kept?.turns ?? []).map(toBeRead), ...turns],
      draft,
      isWhole: false,
    };
    const ends = await Promise.all(entry.turns.map((_, index) => findEnds(entry, index)));
    // The record is older than the rest: what it says the run did is all there.
    const { status } = run;
    entry.isWhole =
      !isIn(OPEN, { status }) && !entry.turns.some(({ children }) => isAnyAtWork(children, tree));
    runs.set(run.id, entry);
    return (
      !isSame ||
      opened !== undefined ||
      turns.length > 0 ||
      ends.includes(true) ||
      isOtherDraft(kept?.draft, draft)
    );
  }

  async function newTurns(run: Run, known: number): Promise<TurnRecords[]> {
    const turns: Turn[] = [];
    if (known === 0) turns.push(...(await store.turns(run.id)));
    else {
      const next = () => store.turn(run.id, known + turns.length + 1);
      for (let turn; (turn = await next()) !== undefined;) turns.push(turn);
    }
    return turns.map((turn) => ({
      turn,
      questions: turn.plans.map(() => undefined),
      // Calls of functions say themselves when they begin; a call that waits for a person has begun before that.
      begins: turn.plans.map((plan) =>
        plan.kind === 'invoke' && !isGated(plan) ? undefined : Date.parse(turn.at),
      ),
      ends: turn.plans.map(() => undefined),
      children: turn.plans.map((plan, index) =>
        planned(plan).startedRun({ run, turn: turn.number, call: index + 1 }),
      ),
    }));
  }

  /** @returns whether any call is found to have ended, or anything to have been asked or answered because of one */
  async function findEnds(kept: Kept, index: number): Promise<boolean> {
    const made = kept.turns[index];
    if (made === undefined || !isWantedTurn(made.turn.number)) return false;
    const { begins, ends, turn } = made;
    const found = await Promise.all(
      turn.answer.calls.map(async (call, at) => {
        if (ends[at] !== undefined) return false;
        const isNew = await findQuestion(kept.run, made, at);
        const own = await ownEnd(kept, made, call, at);
        ends[at] = own ?? endAsReceived(kept.turns[index + 1]?.turn, at);
        const hadBegun = begins[at] !== undefined;
        if (!hadBegun)
          begins[at] = own === undefined ? await beginOf(kept.run, made, at) : own.at - own.durationMs;
        return isNew || hadBegun !== (begins[at] !== undefined) || ends[at] !== undefined;
      }),
    );
    return found.includes(true);
  }

  /** @returns whether anything is new of what a person was asked because of a call */
  async function findQuestion({ id: run }: Run, made: TurnRecords, index: number): Promise<boolean> {
    const plan = made.turn.plans[index];
    if (plan === undefined || !(plan.kind === 'ask' || isGated(plan))) return false;
    const at = { run, turn: made.turn.number, call: index + 1 };
    const known = made.questions[index];
    // Read alone: a watcher ends no question.
    const [question, answer] = await Promise.all([known?.question ?? store.question(at), store.answer(at)]);
    if (question === undefined) return false;
    made.questions[index] = { question, answer };
    return known === undefined || answer !== undefined;
  }

  /** When a call of a function began that has no result of its own. */
  async function beginOf(
    { id: run }: Run,
    { turn, ends }: TurnRecords,
    index: number,
  ): Promise<number | undefined> {
    const mark = await store.callMark({ run, turn: turn.number, call: index + 1 });
    return mark?.at ?? (ends[index] === undefined ? undefined : Date.parse(turn.at));
  }

  /** How a call ended, from its own record or that of its sub-agent. */
  async function ownEnd(
    { run, limits }: Kept,
    { turn, children, questions }: TurnRecords,
    call: ToolCall,
    index: number,
  ): Promise<CallEnd | undefined> {
    const plan = turn.plans[index];
    if (plan === undefined || limits === undefined) return undefined;
    const at = { run: run.id, turn: turn.number, call: index + 1 };
    let changes = '';
    if (plan.kind === 'ask' || isGated(plan)) {
      const asked = questions[index];
      const answer = asked === undefined ? await store.answer(at) : asked.answer;
      if (answer === undefined) return undefined;
      const endedAt = Date.parse(answer.at);
      const ended = { at: endedAt, durationMs: endedAt - Date.parse(turn.at) };
      if (plan.kind === 'ask') return { text: answerText(answer), isError: false, ...ended };
      if (!isApproved(answer)) {
        const text = denialText(call.name, answer);
        return { text, isError: true, failure: 'permission_denied', ...ended };
      }
      if (answer.arguments !== undefined) changes = changesText(call.arguments, answer.arguments);
    }
    const isCarriedOut = plan.kind === 'invoke' || plan.kind === 'wait';
    const kept = isCarriedOut ? await store.callResult(at) : undefined;
    if (kept !== undefined) return { ...kept, at: Date.parse(kept.startedAt) + kept.durationMs };
    if (isCarriedOut) return undefined;
    const started = children[index];
    const child = started === undefined ? undefined : tree.get(started);
    const isOver = child !== undefined && (plan.kind === 'start' || isIn(ENDED, child));
    if (started !== undefined && !isOver) return undefined;
    const ended = {
      ...at,
      run,
      limits,
      store: reading,
      tools: await tools([call.name]),
      outcome: undefined,
      now: now(),
    };
    const result = await ofKind(plan).toResult(call, ended);
    const text = `${changes}${result.text}`;
    const { isError } = result;
    if (plan.kind === 'start' || child === undefined) {
      return { text, isError, at: Date.parse(child?.startedAt ?? turn.at), durationMs: 0 };
    }
    const endedAt = Date.parse(child.endedAt ?? turn.at);
    return { text, isError, at: endedAt, durationMs: durationOf(child, endedAt) };
  }

  function hear(run: string): void {
    const kept = runs.get(run);
    if (kept !== undefined) runs.set(run, { ...kept, draft: answerOf(run) ?? kept.draft });
  }

  return {
    read,
    refresh,
    hear,
    get records() {
      return { runs: new Map(runs), at };
    },
  };
}

/**
 * One run of a tree, without the runs below it; undefined if there is none.
 * @param isWantedTurn the turns of which is read how their calls ended
 */
export async function readRun(
  top: Top,
  store: RunReads,
  tools: LoadOwnTools,
  isWantedTurn: (turn: number) => boolean,
): Promise<RunRecords | undefined> {
  const wantedOf = (runs: Run[]) => runs.filter(({ id }) => id === top.id);
  const reader = createTreeReader(top, store, tools, Date.now, { wantedOf, isWantedTurn });
  await reader.read();
  return reader.records.runs.get(top.id);
}

/** Calls that left nothing of their own have a result only in what the model was told next. */
function endAsReceived(next: Turn | undefined, index: number): CallEnd | undefined {
  const result = next && resultsIn(next.received)[index];
  if (next === undefined || result === undefined) return undefined;
  const { text, isError } = result;
  return { text, isError, at: Date.parse(next.at) - next.latencyMs, durationMs: 0 };
}

function isAnyAtWork(children: TurnRecords['children'], tree: ReadonlyMap<string, Run>): boolean {
  return children.some((id) => id !== undefined && isIn(OPEN, tree.get(id) ?? { status: 'stopped' }));
}

/** A turn of which more may be read. */
function toBeRead(made: TurnRecords): TurnRecords {
  if (!made.ends.includes(undefined)) return made;
  return { ...made, questions: [...made.questions], begins: [...made.begins], ends: [...made.ends] };
}

/** Whether two records of a run say the same to those who watch. */
function isAlike(one: Run, other: Run): boolean {
  return (
    one.status === other.status &&
    one.holder === other.holder &&
    one.endedAt === other.endedAt &&
    one.begun?.turn === other.begun?.turn
  );
}

function isOtherDraft(one: Draft | undefined, other: Draft | undefined): boolean {
  return one?.turn !== other?.turn || one?.at !== other?.at || one?.text.length !== other?.text.length;
}
