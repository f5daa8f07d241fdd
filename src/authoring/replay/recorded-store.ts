import type { KeptDecision } from '../../core/records/hook.ts';
import type { Mail } from '../../core/records/mail.ts';
import type { ToolResult } from '../../core/records/message.ts';
import type { Allowance } from '../../core/records/amounts.ts';
import { openLedger } from '../../core/records/ledger.ts';
import { callName, type CallKey, type CallResult } from '../../core/records/call.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { RunRequest } from '../../core/records/request.ts';
import type { Run } from '../../core/records/run.ts';
import type { Turn } from '../../core/records/turn.ts';
import { hadNoRoom } from '../../core/steps/tree.ts';
import { createDocuments } from '../../places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../places/store/memory-table.ts';
import { createRunStore } from '../../places/store/runs.ts';
import type { RecordedRun, Recording } from './recording.ts';
import { defined } from '../../defined.ts';

/** The moment that a run is about to repeat. */
export interface Moment {
  recorded: RecordedRun;
  /** The turn that it makes next, from 1. */
  turn: number;
}

/** A store that shows a run what it found at some moment, and keeps what it makes of that apart. */
export interface RecordedStore {
  store: RunStore;
  /** Moves on; the returned store keeps the run's later records. */
  goTo(moment: Moment): Made;
  run(id: string): RecordedRun | undefined;
  /** As everything was in the end. */
  recorded: RunStore;
}

/** The records that a run made at a moment. */
export interface Made {
  /** With the limits of its tree, which only count as they were recorded. */
  opened?: Opened;
  turn?: Turn;
  /** The limit at which it ended, in words. */
  exceeded?: string;
}

export function createRecordedStore({ runs }: Recording): RecordedStore {
  const table = createMemoryTable();
  /** For everything that replays do not read. */
  const base = createRunStore(table, createDocuments(table, NO_BLOBS));
  const byId = new Map(runs.map((recorded) => [recorded.run.id, recorded]));
  const reopened = new Map<string, Opened>();
  let moment: Moment | undefined;
  let made: Made = {};

  /** The turns that there were: its own before this moment, and all of any other run. */
  function turns(id: string): Turn[] {
    const all = byId.get(id)?.turns ?? [];
    return moment?.recorded.run.id === id ? all.slice(0, moment.turn - 1) : all;
  }

  /** Runs that wait for the one that is at work work, too. */
  function run(id: string): Run | undefined {
    const recorded = byId.get(id)?.run;
    const current = moment?.recorded.run;
    if (recorded === undefined || current === undefined) return recorded;
    const isAtWork = recorded.path === '' || `${current.path}_`.startsWith(`${recorded.path}_`);
    return isAtWork ? atWork(recorded, mails(id).length > 0, moment) : recorded;
  }

  /** The messages it had by then, and those it has now, each with its original text. */
  function mails(id: string): Mail[] {
    if (moment === undefined || moment.recorded.run.id !== id) return [];
    const { recorded, turn } = moment;
    const before = recorded.turns.slice(0, turn - 1).flatMap(({ told = [] }) => told);
    const known = before.filter((each) => recorded.ofPeople.includes(each)).map((each) => toMail(each, ''));
    const now = recorded.turns[turn - 1];
    return now === undefined ? known : [...known, ...toldNow(now)];
  }

  const store: RunStore = {
    ...base,
    request: async (id) => requestOf(byId.get(id)),
    opened: async (id) => reopened.get(id),
    async saveOpened(id, opened) {
      made.opened = opened;
      const { budget: _budget, folder: _folder, ...rest } = opened;
      // Prompts of spawned agents name the folder of the machine on which it was recorded.
      const kept = { ...rest, ...defined({ folder: byId.get(id)?.opened?.folder }) };
      reopened.set(id, kept);
      return kept;
    },
    turns: async (id) => turns(id),
    turn: async (id, number) => turns(id)[number - 1],
    newestTurn: async (id) => turns(id).at(-1),
    async saveTurn(id, turn) {
      made.turn = turn;
      return byId.get(id)?.turns[turn.number - 1] ?? turn;
    },
    async summary(id, turn) {
      const summary = byId.get(id)?.turns[turn - 1]?.compaction?.summary;
      return summary?.turn === turn ? summary : undefined;
    },
    run: async (id) => run(id),
    insertRun: async (fresh) => run(fresh.id) ?? fresh,
    async updateRun(id, change) {
      const before = run(id);
      const after = before && change(before);
      if (after?.exceeded !== undefined) made.exceeded = after.exceeded;
      return after;
    },
    tree: async () => runs.map((recorded) => recorded.run),
    mails: async (id) => mails(id),
    claimName: async ({ id }, wanted) => byId.get(id)?.run.name ?? wanted,
    callResult: async (at) => resultOf(byId.get(at.run), at) ?? base.callResult(at),
    decisions: async (id, turn) => (byId.get(id)?.decisions ?? []).filter((one) => one.turn === turn),
    async decision({ run: id, turn, call, hook, isEdited = false }) {
      const kept = byId.get(id)?.decisions ?? [];
      const isIt = (one: KeptDecision) =>
        one.turn === turn && one.call === call && one.hook === hook && (one.isEdited ?? false) === isEdited;
      return kept.find(isIt)?.decided;
    },
    answer: async (at) => byId.get(at.run)?.answers[callName(at)] ?? base.answer(at),
    saveAnswer: async (at, answer) => byId.get(at.run)?.answers[callName(at)] ?? base.saveAnswer(at, answer),
    listing: async () => undefined,
    saveListing: async () => {},
    // The recording decided how much the tree could spend, and how many more runs it could have.
    ledger: async () => undefined,
    changeLedger: async (_, change) => change(openLedger(roomFor(moment))),
  };

  return {
    store,
    goTo(next) {
      moment = next;
      made = {};
      return made;
    },
    run: (id) => byId.get(id),
    recorded: {
      ...store,
      opened: async (id) => byId.get(id)?.opened,
      turns: async (id) => byId.get(id)?.turns ?? [],
    },
  };
}

/** Room for as many runs as a turn could start then; where none was refused, for any number. */
function roomFor(moment: Moment | undefined): Allowance {
  const plans = moment?.recorded.turns[moment.turn - 1]?.plans ?? [];
  if (!plans.some(hadNoRoom)) return {};
  return { runs: plans.filter(({ kind }) => kind === 'delegate' || kind === 'start').length };
}

function atWork(recorded: Run, hasMail: boolean, moment: Moment | undefined): Run {
  const {
    endedAt: _endedAt,
    failure: _failure,
    exceeded: _exceeded,
    passedOver: _passedOver,
    hasMail: _hasMail,
    resumedAt = '',
    ...rest
  } = recorded;
  const turn = moment?.recorded.turns[moment.turn - 1];
  const isResumed = resumedAt !== '' && turn !== undefined && resumedAt <= turn.at;
  return { ...rest, status: 'running', ...(hasMail && { hasMail: true }), ...(isResumed && { resumedAt }) };
}

/** Messages of others come last in a turn's input, after notices of its own limits. */
function toldNow({ received, told = [], noticed = [], isNoticed }: Turn): Mail[] {
  const count = told.length + (isNoticed || noticed.length > 0 ? 1 : 0);
  const said = received.flatMap((message) => (message.role === 'user' ? [message] : []));
  const own = count === 0 ? [] : said.slice(-count);
  return own.map(({ text, attachments }, index) => ({
    ...toMail(told[index] ?? 'notice', text),
    ...defined({ attachments }),
  }));
}

/** As of a person: such a text is put to the agent as it is. */
function toMail(id: string, body: string): Mail {
  return { id, body, sentAt: '' };
}

/** A schedule leaves no request: the conversation begins with its prompt. */
function requestOf(recorded: RecordedRun | undefined): RunRequest | undefined {
  if (recorded === undefined || recorded.request !== undefined) return recorded?.request;
  const { run, opened } = recorded;
  if (run.parent !== undefined || opened === undefined) return undefined;
  const { message, inputAt } = opened;
  if (inputAt === undefined) return { agent: run.agent, prompt: message };
  const prompt = message.slice(0, inputAt).replace(/\n\nContext:\n$/, '');
  return { agent: run.agent, prompt, context: message.slice(inputAt) };
}

/** A function that died left no result but what the model was told of it. */
function resultOf(recorded: RecordedRun | undefined, at: CallKey): CallResult | undefined {
  const kept = recorded?.results[callName(at)];
  if (kept !== undefined) return kept;
  const told = recorded && toldOf(recorded, at);
  return told && { text: told.text, isError: told.isError, startedAt: '', durationMs: 0 };
}

/** The result of a call as a model read it. */
export function toldOf({ turns }: RecordedRun, { turn, call }: CallKey): ToolResult | undefined {
  const first = turns[turn]?.received[0];
  return first?.role === 'tool' ? first.results[call - 1] : undefined;
}
