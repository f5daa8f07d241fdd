import type { StandingApproval } from './approval.ts';
import type { KeptFile } from './attachment.ts';
import type {
  BatchedResult,
  BatchMember,
  BucketNotes,
  BucketPlan,
  PartClaim,
  PartNotes,
  PendingTurn,
} from './batched.ts';
import type { CallKey, CallMark, CallResult } from './call.ts';
import type { TreeClock } from './clock.ts';
import type { Summary } from './compaction.ts';
import type { DecisionKey, HookDecision, KeptDecision, WithheldResult } from './hook.ts';
import type { DayShard, DayShardKey } from './day-shard.ts';
import type { Ledger } from './ledger.ts';
import type { SpendingPage, TreePage, WantedTrees } from './listed-trees.ts';
import type { Mail, MailWait } from './mail.ts';
import type { Answer, AnswerWait, AskedQuestion, UnansweredQuestion, Question } from './question.ts';
import type { Opened } from './opened.ts';
import type { Pause } from './pause.ts';
import type { RunRequest } from './request.ts';
import type { Run } from './run.ts';
import type { Draft, Turn } from './turn.ts';
import type { Instant } from './times.ts';
import type { Listing } from './tool-server.ts';

/** The ports through which the steps of a conversation reach the world. */

/** Stores ledgers: one for each run that has spent or handed on anything limited. */
export interface Ledgers {
  ledger(run: string): Promise<Ledger | undefined>;
  /**
   * Replaces a run's ledger with the result of `change` for the newest one; `change` may run more than once. Nothing is
   * written if it returns the same ledger, or none.
   * @param known the ledger that was read before, even if there was none; saves another read unless it has changed
   * since
   * @returns the result of `change` for the ledger that is stored now
   */
  changeLedger<T extends { ledger: Ledger | undefined }>(
    run: string,
    change: (ledger: Ledger | undefined) => T,
    known?: { ledger: Ledger | undefined },
  ): Promise<T>;
}

/** Reads how much of limits per day is gone. */
export interface DayShardReads {
  shard(at: DayShardKey): Promise<DayShard>;
  /** All shards of a day. */
  all(day: string): AsyncIterable<DayShardKey & { value: DayShard }>;
}

/** Stores how much of limits per day is gone. */
export interface DayShards extends DayShardReads {
  /**
   * Replaces a shard with what `change` makes of the newest one; `change` may run more than once. Nothing is written if
   * it returns the same.
   * @returns the shard that is stored now
   */
  change(at: DayShardKey, change: (shard: DayShard) => DayShard): Promise<DayShard>;
  /** Notes that a limit is nearly reached. @returns whether nobody has noted it before that day */
  noteNear(day: string, scope: string): Promise<boolean>;
}

/** What keeps all runs from asking models. */
export interface Rests {
  /** What keeps a run from asking a model now. */
  restOf(run: string, model: string): Promise<Rest>;
  /** Makes all runs leave a model's API alone, because one of them was throttled. */
  coolDown(run: string, model: string, until: number): Promise<void>;
  /** Undefined while nothing is paused. */
  pause(): Promise<Pause | undefined>;
  /**
   * Pauses everything; without a pause, lets everything continue.
   * @returns the pause that was on before: the first one stays
   */
  setPause(pause: Pause | undefined): Promise<Pause | undefined>;
}

/** What keeps a run from asking a model. */
export interface Rest {
  /** When the model's API is no longer left alone, in milliseconds since 1970; 0 where it is not. */
  until: number;
  pause?: Pause;
}

/** Stores the marks and results of calls that functions carry out. */
export interface Calls {
  callResult(at: CallKey): Promise<CallResult | undefined>;
  /** @returns the stored result: the first one written wins, so a call happens once */
  saveCallResult(at: CallKey, result: CallResult): Promise<CallResult>;
  /** The mark of the process that has begun a call. */
  callMark(at: CallKey): Promise<CallMark | undefined>;
  /**
   * Marks a call as begun.
   * @param over the mark of an invocation that is gone, which is replaced
   * @returns the mark that is stored now, which may be that of another invocation
   */
  markCall(at: CallKey, mark: CallMark, over?: CallMark): Promise<CallMark>;
  /** The version of a file that a run has read, or written itself. */
  seenVersion(run: string, path: string): Promise<string | undefined>;
  noteSeen(run: string, path: string, version: string): Promise<void>;
}

/** Stores the attachments of a tree's messages, each file once. */
export interface Attachments {
  /**
   * @param root the top of the tree
   * @param name of the file: its hash, or `textName` of it
   * @returns undefined if the tree has no such file
   */
  attachment(root: string, name: string): Promise<KeptFile | undefined>;
  /** Keeps a file, unless it is there. */
  saveAttachment(root: string, name: string, file: KeptFile): Promise<void>;
}

/** Stores decisions of hooks, and texts that nobody is shown before hooks have decided. */
export interface HookRecords {
  decision(at: DecisionKey): Promise<HookDecision | undefined>;
  /** All that was decided in a turn, in the order of its calls. */
  decisions(run: string, turn: number): Promise<KeptDecision[]>;
  /** @returns the stored decision: the first one written wins */
  saveDecision(at: DecisionKey, decision: HookDecision): Promise<HookDecision>;
  /** A turn that hooks are still asked about; its number is one more than that of the newest turn. */
  withheldTurn(run: string, turn: number): Promise<Turn | undefined>;
  /** @returns the stored turn: the first one written wins */
  withholdTurn(run: string, turn: Turn): Promise<Turn>;
  /** The result of a call that hooks are still asked about. */
  withheldResult(at: CallKey): Promise<WithheldResult | undefined>;
  /** @returns the stored result: the first one written wins */
  withholdResult(at: CallKey, result: WithheldResult): Promise<WithheldResult>;
}

/** Stores turns that wait for batches, and what these are made of. All is written once. */
export interface Batches {
  pendingTurn(run: string, turn: number): Promise<PendingTurn | undefined>;
  /** @returns the stored turn: the first one written wins */
  savePendingTurn(run: string, pending: PendingTurn): Promise<PendingTurn>;
  batchedResult(run: string, turn: number): Promise<BatchedResult | undefined>;
  /** @returns the stored result: the first one written wins */
  saveBatchedResult(run: string, turn: number, result: BatchedResult): Promise<BatchedResult>;
  /** The tokens of the states that wait, or waited, for the result. */
  batchWaits(run: string, turn: number): Promise<string[]>;
  saveBatchWait(run: string, turn: number, wait: { holder: number; token: string }): Promise<void>;
  /** Everything that is noted of a bucket. */
  bucket(name: string): Promise<BucketNotes>;
  noteBucket(name: string, what: 'sealed' | 'settled' | 'started', note: { at: Instant }): Promise<void>;
  /** @returns the stored plan: the first one written wins */
  planBucket(name: string, plan: BucketPlan): Promise<BucketPlan>;
  /** @returns the stored claim: the first one written for this attempt wins */
  claimPart(name: string, part: number, attempt: number, claim: PartClaim): Promise<PartClaim>;
  /** @returns the stored note: the first one written wins */
  notePart<What extends 'cancelled' | 'delivered' | 'submitted'>(
    name: string,
    part: number,
    what: What,
    note: NonNullable<PartNotes[What]>,
  ): Promise<NonNullable<PartNotes[What]>>;
  /** Notes that a batch of a provider is a part of a bucket. @returns whether it is: the first one noted wins */
  nameBatch(batch: string, part: { bucket: string; part: number }): Promise<boolean>;
  bucketMembers(name: string): Promise<BatchMember[]>;
  joinBucket(name: string, member: BatchMember): Promise<void>;
}

/** Stores agents' questions to people. */
export interface Questions {
  question(at: CallKey): Promise<Question | undefined>;
  /**
   * Saves a question and lists it as open.
   * @returns the stored question: the first one written wins; undefined if its end came first
   */
  saveQuestion(question: Question): Promise<Question | undefined>;
  answer(at: CallKey): Promise<Answer | undefined>;
  /**
   * Saves the end of a question, after which it is no longer listed as open.
   * @param question or its key alone, where it may not have been asked: from now on it is not
   * @returns the stored answer: the first one wins
   */
  saveAnswer(question: Question | (CallKey & { root: string }), answer: Answer): Promise<Answer>;
  /** The approval of every call of a tool in a run, if a person gave one. */
  standingApproval(run: string, tool: string): Promise<StandingApproval | undefined>;
  /** Keeps such an approval. @returns the stored one: the first one stays */
  saveStandingApproval(run: string, tool: string, approval: StandingApproval): Promise<StandingApproval>;
  /** The state that waits for the answer now. */
  answerWait(at: CallKey): Promise<AnswerWait | undefined>;
  saveAnswerWait(at: CallKey, wait: AnswerWait): Promise<void>;
  /** A run's questions to people, with the answers, in order. */
  questionsOf(run: string): Promise<AskedQuestion[]>;
  /**
   * All open questions of runs that are under way, older trees first.
   * @param root of the wanted tree; absent: of all trees
   */
  openQuestions(root?: string): AsyncIterable<UnansweredQuestion>;
  /**
   * No longer lists the questions of runs of a tree that have ended, nor stops the clock for them.
   * @param asked a question for which the clock may stand still although it is not listed
   */
  closeQuestions(root: string, runs: readonly { id: string }[], now: number, asked?: CallKey): Promise<void>;
  /** Of the tree that the run belongs to; undefined if it was never stopped. */
  clock(run: string): Promise<TreeClock | undefined>;
  /**
   * Replaces the clock with what `change` makes of the newest one; `change` may run more than once.
   * @returns the clock as stored now
   */
  changeClock<T extends TreeClock | undefined>(
    run: string,
    change: (clock: TreeClock | undefined) => T,
  ): Promise<T>;
}

/** Stores messages to agents, each message once. */
export interface Mailboxes {
  /** Everything in the mailbox of a run, oldest first. */
  mails(run: string): Promise<Mail[]>;
  /**
   * @param key identifies the message for its sender: a second message with the same key is not saved
   * @returns the stored message
   */
  saveMail(to: string, mail: Omit<Mail, 'id'>, key?: string): Promise<Mail>;
  /** The message that was saved with this key, even if it has been deleted since. */
  sentMail(to: string, key: string): Promise<Mail | undefined>;
  /** @returns undefined if there is no such message */
  markRead(run: string, id: string): Promise<Mail | undefined>;
  /** Marks a message that no longer causes a turn, but may still be read. */
  markPassedOver(run: string, id: string): Promise<unknown>;
  /** Marks an unread message as read by a call of `wait`. @returns whether it is that call's: no other gets it */
  takeMail(run: string, id: string, by: string): Promise<boolean>;
  /** Notes which fork was given a captured text, or that it was cancelled. */
  endCapture(run: string, id: string, fork?: string): Promise<void>;
  /** @returns whether there was such a message */
  deleteMail(run: string, id: string): Promise<boolean>;
  /** The waits for mail in the tree that the run belongs to. */
  mailWaits(run: string): Promise<MailWait[]>;
  saveMailWait(wait: MailWait): Promise<void>;
  deleteMailWait(wait: MailWait): Promise<void>;
  /** Gives a run a name that no other run of its tree has. @returns the name, which may have a number behind it */
  claimName(run: { id: string; path: string }, wanted: string): Promise<string>;
  /** The runs of a tree that have names of their own, among them those that are still being started. */
  namedRuns(run: string): Promise<{ id: string; path: string }[]>;
}

/** Stores what tool servers offered when they were last asked. */
export interface Listings {
  /** @param server identifies the server and the wanted tools */
  listing(server: string): Promise<Listing | undefined>;
  saveListing(server: string, listing: Listing): Promise<void>;
}

/**
 * Stores that a client watches a tree and, only while one does, the turns that its runs are in. Nothing depends on any
 * of it: of two writes at the same time, one may be lost.
 */
export interface Watching {
  /**
   * The time until which the tree of a run is watched, in milliseconds since 1970; 0 where no client has ever watched
   * it.
   */
  watchedUntil(run: string): Promise<number>;
  watch(run: string, until: number): Promise<void>;
  draft(run: string): Promise<Draft | undefined>;
  saveDraft(run: string, draft: Draft): Promise<void>;
  /** A number that every process's write changes, so that a reader sees whether anything is new; optional. */
  newest?(): number;
}

/** Stores runs. Everything but the light record of a run is written once. */
export interface RunStore
  extends Attachments, Ledgers, Rests, Calls, HookRecords, Listings, Mailboxes, Questions, Watching {
  /** The request at the top of a tree, if it was saved. */
  request(id: string): Promise<RunRequest | undefined>;
  saveRequest(id: string, request: RunRequest): Promise<void>;

  opened(id: string): Promise<Opened | undefined>;
  /** @returns the stored opening: the first one written wins */
  saveOpened(id: string, opened: Opened): Promise<Opened>;

  /** Opens what is stored of batches, which few agents wait for. */
  batches(): Promise<Batches>;

  /** All turns so far, in order. */
  turns(id: string): Promise<Turn[]>;
  turn(id: string, number: number): Promise<Turn | undefined>;
  newestTurn(id: string): Promise<Turn | undefined>;
  /** @returns the stored turn: the first one written wins, so a turn happens once */
  saveTurn(id: string, turn: Turn): Promise<Turn>;

  /** The summary that was written for a turn, which may not have been made yet. */
  summary(id: string, turn: number): Promise<Summary | undefined>;
  /** @returns the stored summary: the first one written wins */
  saveSummary(id: string, summary: Summary): Promise<Summary>;

  run(id: string): Promise<Run | undefined>;
  /**
   * Saves a new run.
   * @returns the stored record: the first one written wins
   * @throws {Error} if `TRANSITIONS` has no such beginning
   */
  insertRun(run: Run): Promise<Run>;
  /**
   * Replaces the record with what `change` makes of the newest one; `change` may run more than once.
   * @param known the record as read before; saves another read unless it has changed since
   * @returns the record as stored now, or undefined if there is none
   * @throws {Error} if `TRANSITIONS` lacks the change
   */
  updateRun(id: string, change: (run: Run) => Run, known?: Run): Promise<Run | undefined>;

  /** All runs of the tree that the run belongs to: the top first, then in the order in which they were asked for. */
  tree(id: string): Promise<Run[]>;
  /**
   * The tops of all trees, newest first.
   * @param among only those older than the one with the id `after`; only those whose trees' keys begin with `key`
   */
  roots(limit: number, among?: { after?: string; key?: string }): AsyncIterable<Run>;

  /** Few trees are held by limits per day. */
  dayShards(): Promise<DayShards>;

  /** A page of the trees that are wanted, newest first. */
  listTrees(wanted: WantedTrees): Promise<TreePage>;
  /**
   * The runs of each tree that has a run under way, to be killed, or about to continue for a message; newest tree
   * first. Resting trees are found if they were listed as open.
   * @param after only trees that are older than this one
   */
  openTrees(after?: string): Promise<AsyncIterable<Run[]>>;
  /** Lists the tree of a run as open although it rests, so that a request to the run does not depend on an event. */
  listAsOpen(run: Run): Promise<void>;
  /**
   * What runs have spent by the day, the last day first.
   * @param days the first one and the last one, such as `2026-11-23`, in UTC
   */
  spending(days: { since: string; until: string }): Promise<SpendingPage>;

  /**
   * Removes the whole trees that the runs belong to, with everything that is stored about their runs. None of these may be
   * running. An interrupted removal can be repeated. Keys that callers chose for the trees stay bound.
   * @returns how many runs each tree had
   */
  deleteTrees(ids: readonly string[]): Promise<number[]>;

  /**
   * Binds a key that a caller chose to the run that the caller asks for.
   * @param of the run whose own key it is: it is removed with that run
   * @returns the current binding of the key: the first one stays
   */
  bind(key: string, binding: Binding, of?: string): Promise<Binding>;
  /** What a key is bound to; undefined: nothing yet. */
  bound(key: string, of?: string): Promise<Binding | undefined>;
}

/** The run that a caller's key stands for. */
export interface Binding {
  run: string;
  /** Of everything that was asked for. */
  digest: string;
}

/** The part of a store that only reads. */
export type RunReads = Pick<
  RunStore,
  | 'answer'
  | 'attachment'
  | 'answerWait'
  | 'bound'
  | 'callMark'
  | 'callResult'
  | 'clock'
  | 'decision'
  | 'decisions'
  | 'draft'
  | 'ledger'
  | 'listing'
  | 'listTrees'
  | 'mails'
  | 'mailWaits'
  | 'namedRuns'
  | 'newest'
  | 'newestTurn'
  | 'opened'
  | 'openQuestions'
  | 'openTrees'
  | 'pause'
  | 'question'
  | 'questionsOf'
  | 'request'
  | 'roots'
  | 'run'
  | 'sentMail'
  | 'spending'
  | 'standingApproval'
  | 'summary'
  | 'tree'
  | 'turn'
  | 'turns'
  | 'withheldResult'
  | 'withheldTurn'
> & { dayShards(): Promise<DayShardReads> };

/** The records of runs, for readers: code above the places where runs are carried never writes to a store. */
export interface RunReader extends RunReads {
  /** Whether the tree of this root, which has not ended, has a carrier. */
  isCarriedOut(root: string): Promise<boolean>;
}
