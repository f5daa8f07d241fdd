import type { RunStore } from '../../../core/records/ports.ts';
import { AT_REST, isIn } from '../../../core/records/phase.ts';
import { durationOf, type Run } from '../../../core/records/run.ts';
import { lastAnswerOf, outputOf, resultOf } from '../../../core/records/turn.ts';
import { StoreError } from '../../../errors.ts';
import { runReport } from '../../../core/reports/run-report.ts';
import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts';
import { closingLine, failureText, nextStep, type RunPlace } from '../terminal/closing-text.ts';
import type { RunIo } from '../terminal/io.ts';
import type { Pipeline } from '../../../places/pipeline.ts';
import { createAsker, type Asker } from './ask-here.ts';
import { tellQuestions } from './questions.ts';
import type { LiveTree } from '../terminal/live-tree.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import { verboseLine } from '../terminal/verbose.ts';

export interface FollowRunOptions extends RunPlace {
  verbose: boolean;
  json: boolean;
}

/**
 * Carries a run that is in the store to its end, shows its events meanwhile and prints its result: the answer on
 * stdout, everything else on stderr. Ctrl-C stops the whole tree.
 * @param start returns what it has started; undefined: there is nothing to wait for
 * @returns the exit code
 */
export async function followRun(
  id: string,
  start: () => Promise<string | undefined>,
  pipeline: Pipeline,
  options: FollowRunOptions,
  io: RunIo,
): Promise<number> {
  if (io.interrupted.aborted) return interruptedBefore(io);
  const live = await openLiveTree(io, pipeline);
  const asker = live && createAskerHere(pipeline, live, options.env, io);
  const tell = (text: string) => (live === undefined ? io.stderr(text) : live.above(text));
  if (options.verbose) {
    pipeline.onEvent((event) => {
      const line = verboseLine(event, id);
      if (line !== undefined) tell(`${line}\n`);
    });
  } else if (live !== undefined) pipeline.onEvent((event) => live.emit(event), 'deltas');
  const warnings: string[] = [];
  pipeline.onEvent((event) => void (event.type === 'warning' && warnings.push(event.message)));
  if (asker === undefined) tellQuestions(pipeline, tell, options.env);
  else pipeline.onEvent(asker.emit);
  try {
    await pipeline.carryOut(id, async () => {
      const execution = await start();
      if (execution === undefined) return;
      const link = pipeline.link(execution);
      if (link !== undefined) io.stderr(`${link}\n`);
      const stop = () => void pipeline.executions.stop(execution, INTERRUPTED);
      io.interrupted.addEventListener('abort', stop, { once: true });
      if (io.interrupted.aborted) stop();
      await pipeline.executions.wait(execution);
    });
  } finally {
    await asker?.close();
    await live?.close();
    for (const warning of warnings) io.stderr(`Warning: ${oneLine(warning)}\n`);
  }
  if (io.interrupted.aborted && (await pipeline.store.run(id)) === undefined) return interruptedBefore(io);
  return printEnd(id, pipeline.store, options, io);
}

const INTERRUPTED = 'interrupted by the user';

/** Nothing has begun: there is nothing to show or to resume. */
function interruptedBefore(io: RunIo): number {
  io.stderr(`Error: ${INTERRUPTED}\n`);
  return EXIT.interrupted;
}

/** Prints the result of a run that has ended. @returns the exit code */
export async function printEnd(
  id: string,
  store: RunStore,
  options: FollowRunOptions,
  io: RunIo,
): Promise<number> {
  const run = await store.run(id);
  if (run === undefined) throw new StoreError(`run "${id}" left no record`);
  const turns = await store.turns(id);
  const tree = await store.tree(id);
  if (options.json) {
    const report = runReport(run, lastAnswerOf(run, turns), tree, outputOf(run, turns));
    io.stdout(`${jsonLine(report)}\n`);
  } else io.answer(resultOf(run, turns));
  if (options.verbose) io.stderr(`${summary(run)}\n`);
  const { code, told } = outcome(run);
  if (told !== '') io.stderr(`${told}\n`);
  if (io.terminal !== undefined && run.model === OFFLINE_MODEL) io.stderr(`${ABOUT_OFFLINE_MODEL}\n`);
  io.stderr(`${closingLine(run, tree, nextStep(run, options))}\n`);
  return code;
}

/** The exit code for a run that has ended, and why it has no answer; "" where it did. */
function outcome(run: Run): { code: number; told: string } {
  if (run.exceeded !== undefined) return { code: EXIT.budget, told: oneLine(run.exceeded) };
  if (isIn(AT_REST, run)) return { code: EXIT.success, told: '' };
  const code = run.failure === undefined ? EXIT.agent : exitCodeOfFailure(run.failure);
  return { code, told: `Error: ${failureText(run)}` };
}

const OFFLINE_MODEL = 'offline/extractive';
const ABOUT_OFFLINE_MODEL =
  `${OFFLINE_MODEL} picks sentences from its input and writes none of its own; for a written answer, ` +
  'name a model in the agent\'s file, such as model = "anthropic/claude-sonnet-4-5", and set its key';

function summary(run: Run): string {
  const { usage, stopReason } = run;
  return [
    `Duration: ${durationOf(run, Date.now())}ms`,
    `Tokens:   ${usage.inputTokens} input, ${usage.outputTokens} output (cumulative)`,
    `Stop:     ${stopReason ?? ''}`,
  ].join('\n');
}

/** Asks the person at the terminal; undefined where none can type. */
function createAskerHere(
  pipeline: Pipeline,
  live: LiveTree,
  env: string | undefined,
  io: RunIo,
): Asker | undefined {
  const { keyboard, terminal, user, interrupt, interrupted } = io;
  if (keyboard === undefined || terminal === undefined) return undefined;
  return createAsker({ pipeline, live, env, user, keyboard, terminal, interrupt, interrupted });
}

/** Loaded where there is a terminal: measuring characters takes 40 ms to set up. */
async function openLiveTree({ terminal }: RunIo, { store }: Pipeline) {
  if (terminal === undefined) return undefined;
  const { openLiveTree: open } = await import('../terminal/live-tree.ts');
  return open(terminal, { ...store, isCarriedOut: async () => true });
}
