import type { AskedQuestion } from '../records/question.ts';
import type { RunReads } from '../records/ports.ts';
import { OPEN, isIn } from '../records/phase.ts';
import { branchOf, type Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { Draft, Turn } from '../records/turn.ts';
import { planned } from '../steps/kinds.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { beginsLater, createCallReader, type ReadRun } from './call-reader.ts';
import { readTextQuestions, withheldTurn } from './text-questions.ts';
import type { RunRecords, Top, TreeRecords, TurnRecords } from './records.ts';

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
  /** The turn of a run up to which its events were told before: nothing earlier is read; 0 where none were. */
  toldOf?: (run: Run) => number;
  /** The turns of which is read what their calls asked and how they ended. */
  isWantedTurn?: (number: number) => boolean;
  /** The answer that is being written in a run, where that can be heard. */
  answerOf?: (run: string) => Draft | undefined;
}

/** A run as the reader keeps it. */
interface Kept extends RunRecords, Pick<ReadRun, 'limits'> {
  /** The first turn that was read: what stands for those before it says nothing. */
  first: number;
  /** Whether all of it has been read, up to its end. */
  isWhole: boolean;
}

/**
 * Reads a tree again and again, each time only the records that may have changed: of runs at work the next turn, its
 * draft and the results of calls; of ended runs nothing.
 * @param wanted the part that is read at all
 */
export function createTreeReader(
  top: Top,
  store: RunReads,
  tools: LoadOwnTools,
  now: () => Instant,
  {
    wantedOf = (all) => all,
    toldOf = () => 0,
    isWantedTurn = () => true,
    answerOf = () => undefined,
  }: Wanted = {},
): TreeReader {
  const runs = new Map<string, Kept>();
  /** The newest record of each run. */
  const tree = new Map<string, Run>();
  const readCalls = createCallReader(store, tools, now, tree);
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
    const known = runs.get(run.id);
    const isSame = known !== undefined && isAlike(known.run, run);
    if (isSame && known.isWhole) return false;
    const told = isIn(OPEN, run) ? toldOf(run) : 0;
    // Its end is told with its last answer, which may be older than what was read of it.
    const kept = known !== undefined && known.first > 1 && told === 0 ? undefined : known;
    const first = kept?.first ?? Math.max(1, told);
    // A run that was told before has more to tell only if it has continued since; a draft can wait for the next look.
    const isAgain = kept === undefined && told > 0;
    // One that has succeeded has made every turn that it began.
    const mayHaveDraft = !isAgain && run.status !== 'succeeded';
    const earlier = kept?.turns ?? Array.from({ length: first - 1 }, () => TOLD_BEFORE);
    const before = await withTurnsAfterCalls(run, earlier);
    const needsOpened = kept?.limits === undefined && (told === 0 || hasCalls(before));
    const [early, draft, turns] = await Promise.all([
      needsOpened ? store.opened(run.id) : undefined,
      answerOf(run.id) ?? (how === 'heard' ? kept?.draft : mayHaveDraft ? store.draft(run.id) : undefined),
      newTurns(run, before.length),
    ]);
    const isWantedNow = !needsOpened && kept?.limits === undefined && hasCalls(turns);
    const opened = isWantedNow ? await store.opened(run.id) : early;
    // Records that other readers were given stay as they are.
    const entry: Kept = {
      run,
      first,
      opened: opened ?? kept?.opened,
      limits: opened?.delegation ?? kept?.limits,
      turns: [...before.map(toBeRead), ...turns],
      draft,
      isWhole: false,
    };
    const isAsked = run.withholds === true && (await readAboutTexts(entry, kept));
    const calls = await Promise.all(
      entry.turns.map(
        async ({ turn }, index) => index + 1 >= first && isWantedTurn(turn.number) && readCalls(entry, index),
      ),
    );
    // The record is older than the rest: what it says the run did is all there.
    const { status } = run;
    entry.isWhole =
      !isIn(OPEN, { status }) && !entry.turns.some(({ children }) => isAnyAtWork(children, tree));
    runs.set(run.id, entry);
    return (
      !isSame ||
      opened !== undefined ||
      turns.length > 0 ||
      calls.includes(true) ||
      isAsked ||
      isOtherDraft(kept?.draft, draft)
    );
  }

  /** @returns whether anything is new of what people were asked about the texts of a run */
  async function readAboutTexts(entry: Kept, kept: Kept | undefined): Promise<boolean> {
    const { run, turns, first } = entry;
    const known = kept?.aboutTexts ?? new Map<number, AskedQuestion>();
    const [from, to] = [Math.max(first, (kept?.turns.length ?? 0) + 1), turns.length + 1];
    entry.aboutTexts = await readTextQuestions(run, known, { from, to }, store);
    if (entry.aboutTexts.has(to)) {
      const { withheld } = kept ?? {};
      entry.withheld = withheld?.turn === to ? withheld : await withheldTurn(run, to, store);
    }
    return [...entry.aboutTexts].some(
      ([turn, { answer }]) => !known.has(turn) || known.get(turn)?.answer?.at !== answer?.at,
    );
  }

  async function newTurns(run: Run, known: number): Promise<TurnRecords[]> {
    const turns: Turn[] = [];
    if (known === 0) turns.push(...(await store.turns(run.id)));
    else {
      const next = () => store.turn(run.id, known + turns.length + 1);
      for (let turn; (turn = await next()) !== undefined;) turns.push(turn);
    }
    return turns.map((turn) => toRecords(run, turn));
  }

  /** With those of the turns told before that tell whether sub-agents have gone on after their calls. */
  async function withTurnsAfterCalls(run: Run, turns: TurnRecords[]): Promise<TurnRecords[]> {
    if (turns[0]?.turn.number !== 0) return turns;
    const resumed = [...tree.values()].flatMap(({ parent, resumedAt }) =>
      parent?.run === run.id && resumedAt !== undefined ? [parent.turn] : [],
    );
    if (resumed.length === 0) return turns;
    return Promise.all(
      turns.map(async (made, index) => {
        if (made.turn.number > 0 || !resumed.includes(index)) return made;
        const turn = await store.turn(run.id, index + 1);
        return turn === undefined ? made : toRecords(run, turn);
      }),
    );
  }

  function toRecords(run: Run, turn: Turn): TurnRecords {
    return {
      turn,
      questions: turn.plans.map(() => undefined),
      begins: turn.plans.map((plan) => (beginsLater(plan) ? undefined : Date.parse(turn.at))),
      ends: turn.plans.map(() => undefined),
      children: turn.plans.map((plan, index) =>
        planned(plan).startedRun({ run, turn: turn.number, call: index + 1 }),
      ),
    };
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

/** Stands for a turn that was told before, and is not read again. */
const TOLD_BEFORE: TurnRecords = {
  turn: {
    number: 0,
    messages: 0,
    received: [],
    answer: {
      text: '',
      calls: [],
      stopReason: 'end',
      rawStopReason: '',
      usage: { inputTokens: 0, outputTokens: 0 },
    },
    plans: [],
    at: new Date(0).toISOString(),
    latencyMs: 0,
  },
  children: [],
  questions: [],
  begins: [],
  ends: [],
};

/** How calls end is told in words, for which more has to be known of the run. */
function hasCalls(turns: readonly TurnRecords[]): boolean {
  return turns.some(({ turn }) => turn.answer.calls.length > 0);
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
  return (
    one?.turn !== other?.turn ||
    one?.at !== other?.at ||
    one?.text.length !== other?.text.length ||
    one?.output?.length !== other?.output?.length
  );
}
