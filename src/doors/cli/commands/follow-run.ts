import type { RunEvent } from '../../../core/events/event.ts';
import type { RunReader } from '../../../core/records/ports.ts';
import { closingReason } from '../../../core/records/closing-reason.ts';
import { AT_REST, isIn } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import { shownDuration } from '../../../core/reports/shown-duration.ts';
import { lastAnswerOf, outputOf, resultTurn } from '../../../core/records/turn.ts';
import { StoreError } from '../../../errors.ts';
import { shownStatus } from '../../../core/reports/shown-tree.ts';
import { runReport } from '../../../core/reports/run-report.ts';
import { exitCodeOfRun } from '../terminal/exit-code-of-run.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { closingLine, failureText, nextStep, type RunPlace } from '../terminal/closing-text.ts';
import type { RunIo } from '../terminal/io.ts';
import type { Environment } from '../../../places/environment.ts';
import { unlessEnded } from '../../../places/environment-errors.ts';
import { tellDuring } from '../../../places/follow/tell-during.ts';
import { createAsker, type Asker } from './ask-here.ts';
import { tellQuestion } from './questions.ts';
import type { LiveTree } from '../terminal/live-tree.ts';
import { printAnswer } from '../terminal/print-answer.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import type { StreamedAnswers } from '../terminal/streamed-answers.ts';
import { createVerbose } from '../terminal/verbose.ts';

export interface FollowRunOptions extends RunPlace {
  verbose: boolean;
  json: boolean;
}

/**
 * Starts or continues a run, shows the events of its tree until all of it rests, and prints its result: the answer on
 * stdout, everything else on stderr. Ctrl-C stops the run with everything below it.
 * @param start returns the run, with its execution if that is known; undefined: there is nothing to wait for
 * @returns the exit code; undefined if there was nothing to wait for
 */
export async function followRun(
  id: string,
  start: () => Promise<FollowedRun | undefined>,
  environment: Environment,
  options: FollowRunOptions,
  io: RunIo,
): Promise<number | undefined> {
  if (io.interrupted.aborted) return interruptedBefore(io);
  const { records } = environment;
  const live = await openLiveTree(io, environment);
  const answers = options.verbose || options.json ? undefined : await openAnswers(live, io);
  const asker = live && createAskerHere(environment, live, options.env, io);
  const tell = (text: string) => (live === undefined ? io.stderr(text) : live.above(text));
  const verbose = options.verbose ? createVerbose(id) : undefined;
  const warnings: string[] = [];
  /** The answer of a tree of several comes after that tree, where it is found. */
  let isAlone = true;
  const show = (event: RunEvent) => {
    if (event.type === 'warning') warnings.push(event.message);
    const line = verbose?.(event);
    if (line !== undefined) tell(`${line}\n`);
    isAlone &&= event.run === id;
    const isText = answers?.hear(event, isAlone ? '' : undefined) === true;
    if (!options.verbose && !isText) live?.emit(event);
    if (asker === undefined) tellQuestion(event, tell, options.env);
    else asker.emit(event);
  };
  let hasStarted = false;
  /** Shown only if the run goes on here: otherwise another process shows it. */
  const early: RunEvent[] = [];
  try {
    const root = (await records.run(id))?.root ?? id;
    // The earlier events of a run that goes on are of no interest.
    const from = await environment.told(root);
    const { signal } = new AbortController();
    await tellDuring(
      (until) => environment.follow(root, { from, live: true, signal, until }),
      ({ event }) => (hasStarted ? show(event) : void early.push(event)),
      async () => {
        const started = await start();
        if (started === undefined) return;
        hasStarted = true;
        const link = started.execution === undefined ? undefined : environment.link(started.execution);
        if (link !== undefined) io.stderr(`${link}\n`);
        early.forEach(show);
        const stopped = stopWith(io, id, environment);
        await environment.ended(id, { wholeTree: true });
        await stopped();
      },
    );
  } finally {
    await asker?.close();
    await live?.close();
    for (const warning of warnings) io.stderr(`Warning: ${oneLine(warning)}\n`);
  }
  if (!hasStarted) return undefined;
  if (io.interrupted.aborted && (await records.run(id)) === undefined) return interruptedBefore(io);
  return printEnd(id, records, options, io, answers);
}

/** A run that goes on. */
export interface FollowedRun {
  /** Absent where only the environment knows it. */
  execution?: string | undefined;
}

/**
 * Stops a run when the signal is aborted.
 * @returns a function that waits for a stop that has begun, and prevents later ones
 */
function stopWith(
  { interrupted, user }: RunIo,
  id: string,
  { records, stop }: Environment,
): () => Promise<void> {
  let stopping: Promise<unknown> | undefined;
  const begin = () => {
    stopping = records
      .run(id)
      .then((run) => run && stop(run, INTERRUPTED, user))
      .catch(unlessEnded);
  };
  interrupted.addEventListener('abort', begin, { once: true });
  if (interrupted.aborted) begin();
  return async () => {
    interrupted.removeEventListener('abort', begin);
    await stopping;
  };
}

const INTERRUPTED = 'interrupted by the user';

/** Nothing has begun: there is nothing to show or to resume. */
function interruptedBefore(io: RunIo): number {
  io.stderr(`Error: ${INTERRUPTED}\n`);
  return EXIT.interrupted;
}

/**
 * Prints the result of a run that has ended.
 * @param answers the texts that were shown while they were written; absent: none
 * @returns the exit code
 */
export async function printEnd(
  id: string,
  records: RunReader,
  options: FollowRunOptions,
  io: RunIo,
  answers?: StreamedAnswers,
): Promise<number> {
  const run = await records.run(id);
  if (run === undefined) throw new StoreError(`run "${id}" left no record`);
  const turns = await records.turns(id);
  const tree = await records.tree(id);
  if (options.json) {
    const report = runReport(run, lastAnswerOf(run, turns), tree, outputOf(run, turns));
    io.stdout(`${jsonLine(report)}\n`);
  } else {
    const turn = resultTurn(run, turns);
    const isShown = turn !== undefined && answers?.isShown({ run: id, turn: turn.number }) === true;
    if (!isShown) await printAnswer(turn?.answer.text ?? '', io);
  }
  if (options.verbose) io.stderr(`${summary(run)}\n`);
  const told = reasonOf(run);
  if (told !== '') io.stderr(`${told}\n`);
  if (io.terminal !== undefined && run.model === OFFLINE_MODEL) io.stderr(`${ABOUT_OFFLINE_MODEL}\n`);
  // What is followed until it rests, and still runs then, has lost its process.
  const status = shownStatus(run, run.status === 'running');
  io.stderr(`${closingLine(run, tree, nextStep({ ...run, status }, options), io.user)}\n`);
  return exitCodeOfRun(run);
}

/** Why a run that has ended has no answer or only a partial one; "" if it has a whole one. */
function reasonOf(run: Run): string {
  if (run.exceeded !== undefined) return oneLine(run.exceeded);
  return isIn(AT_REST, run) ? closingReason(run) : `Error: ${failureText(run)}`;
}

const OFFLINE_MODEL = 'offline/extractive';
const ABOUT_OFFLINE_MODEL =
  `${OFFLINE_MODEL} picks sentences from its input and writes none of its own; for a written answer, ` +
  'name a model in the agent\'s file, such as model = "anthropic/claude-sonnet-5-5", and set its key';

function summary(run: Run): string {
  const { usage, stopReason } = run;
  return [
    `Duration: ${shownDuration(run, Date.now())}ms`,
    `Tokens:   ${usage.inputTokens} input, ${usage.outputTokens} output (cumulative)`,
    `Stop:     ${stopReason ?? ''}`,
  ].join('\n');
}

/** Asks the person at the terminal; undefined where none can type. */
function createAskerHere(
  environment: Environment,
  live: LiveTree,
  env: string | undefined,
  io: RunIo,
): Asker | undefined {
  const { keyboard, terminal, user, interrupt, interrupted } = io;
  if (keyboard === undefined || terminal === undefined) return undefined;
  return createAsker({
    environment,
    live,
    env,
    user,
    keyboard,
    terminal,
    interrupt,
    interrupted,
    editor: io,
  });
}

/** Loaded where there is a terminal: measuring characters takes 40 ms to set up. */
async function openLiveTree({ terminal }: RunIo, { records }: Environment) {
  if (terminal === undefined) return undefined;
  const { openLiveTree: open } = await import('../terminal/live-tree.ts');
  return open(terminal, { ...records, isCarriedOut: async () => true });
}

/** Only where stdout is a terminal, too: elsewhere an answer is written there alone, once it is whole. */
async function openAnswers(
  live: LiveTree | undefined,
  { terminal, columns }: RunIo,
): Promise<StreamedAnswers | undefined> {
  if (live === undefined || terminal === undefined || columns === undefined) return undefined;
  const { openStreamedAnswers } = await import('../terminal/streamed-answers.ts');
  return openStreamedAnswers(live, terminal);
}
