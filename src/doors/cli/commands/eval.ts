import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { compileGlob } from '../../../core/agent-schema/glob.ts';
import type { EvalReport } from '../../../core/reports/eval-report.ts';
import { evaluate } from '../../../authoring/eval/evaluate.ts';
import { gradeWith } from '../../../authoring/eval/eval-modules.ts';
import { keptInFolder } from '../../../authoring/eval/kept-in-folder.ts';
import {
  openVariants,
  type ComparedWith,
  type OpenedVariants,
} from '../../../authoring/eval/open-variants.ts';
import { readEvaluation, type Evaluation } from '../../../authoring/eval/read-eval.ts';
import { defined } from '../../../defined.ts';
import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import { createCaseLines, summaryText } from '../eval/eval-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import { assertOverwritable } from './write-new-file.ts';

export interface EvalOptions extends ComparedWith {
  repeat?: number;
  /** A pattern of names. */
  only?: string;
  list?: boolean;
  html?: string;
  junit?: string;
  json?: boolean;
  env?: string;
  agentsDir?: string;
}

/**
 * `cadre eval`: plays evaluations one after the other.
 * @returns the exit code: 1 where a threshold does not hold, 2 where a file cannot be used
 * @throws {ConfigError} if a file is broken: all are read before any is played
 */
export async function evaluateFiles(
  files: readonly string[],
  options: EvalOptions,
  io: RunIo,
): Promise<number> {
  const all: Evaluation[] = [];
  for (const file of files) all.push(await readEvaluation(file, io.cwd));
  const read = chosen(all, options);
  if (options.list) return listCases(read, options, io);
  for (const path of [options.html, options.junit])
    if (path !== undefined) assertOverwritable(resolve(io.cwd, path), `cannot write ${path}`);
  // What is opened has folders of its own, which are removed after a signal, too.
  const { interrupted } = io;
  const reports: EvalReport[] = [];
  const conversations = new Map<string, string>();
  for (const evaluation of read) {
    const opened = await openVariants(evaluation, options, options, io);
    try {
      const report = await play(evaluation, opened, options, io);
      reports.push(report);
      if (options.html !== undefined) {
        const { failedConversations } = await import('../eval/eval-conversations.ts');
        for (const [run, html] of await failedConversations(report, opened.variants))
          conversations.set(run, html);
      }
    } catch (thrown) {
      if (!interrupted.aborted) throw thrown;
      const { env } = options;
      const rest = env === undefined ? '' : `; runs that have begun go on in "${env}"`;
      io.stderr(`Error: interrupted by the user${rest}; call it again to go on where it was\n`);
      return EXIT.interrupted;
    } finally {
      await opened.close();
    }
  }
  if (options.html !== undefined) {
    const { toHtml } = await import('../eval/eval-html.ts');
    await write(options.html, toHtml(reports, conversations), io);
  }
  if (options.junit !== undefined) {
    const { toJunit } = await import('../eval/eval-junit.ts');
    await write(options.junit, toJunit(reports), io);
  }
  return reports.every(({ passed }) => passed) ? EXIT.success : EXIT.agent;
}

/** The evaluations as they are to be played, without those in which no case is meant. */
function chosen(all: readonly Evaluation[], { repeat, only }: EvalOptions): Evaluation[] {
  const fits = only === undefined ? () => true : compileGlob(only.replaceAll('/', ' '), { dots: true });
  const some = all
    .map((evaluation) => ({
      ...evaluation,
      cases: evaluation.cases.filter(({ name }) => fits(name.replaceAll('/', ' '))),
      ...defined({ repeat }),
    }))
    .filter(({ cases }) => cases.length > 0);
  if (some.length > 0) return some;
  const files = all.map(({ file }) => file).join(', ');
  throw new ConfigError(`${files}: no case has a name that fits ${JSON.stringify(only)}`);
}

function listCases(read: readonly Evaluation[], { json }: EvalOptions, io: RunIo): number {
  for (const { file, agent, cases } of read) {
    if (json) io.stdout(`${jsonLine({ file, agent, cases: cases.map(({ name }) => name) })}\n`);
    else io.stdout(cases.map(({ name }) => `${oneLine(name)}\n`).join(''));
  }
  return EXIT.success;
}

async function play(
  evaluation: Evaluation,
  { variants, modules, stopAll }: OpenedVariants,
  { env, json }: EvalOptions,
  io: RunIo,
): Promise<EvalReport> {
  const { interrupted: signal } = io;
  const lines = createCaseLines(evaluation, variants.length, env);
  const stop = () => void stopAll('interrupted by the user');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const report = await evaluate(evaluation, variants, env, {
      kept: keptInFolder(io.cwd),
      now: Date.now,
      signal,
      callFunction: (file, given) => gradeWith(modules, file, given, signal),
      during: (work) => work,
      tell(played) {
        const text = lines(played);
        if (text !== '' && !json) io.stdout(text);
      },
    });
    io.stdout(json ? `${jsonLine(report)}\n` : summaryText(report));
    return report;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function write(written: string, text: string, { cwd }: RunIo): Promise<void> {
  const path = resolve(cwd, written);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new ConfigError(`cannot write ${written}: ${fileFault(error)}`, { cause: error });
  }
}
