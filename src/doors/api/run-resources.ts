import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type * as v from 'valibot';
import type { RunStore } from '../../core/records/ports.ts';
import { isRunId } from '../../core/records/run-id.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { lastAnswerOf, outputOf } from '../../core/records/turn.ts';
import { openQuestions } from '../../core/reports/open-questions.ts';
import { questionReport } from '../../core/reports/question-report.ts';
import { runOverview, runReport, treeReport } from '../../core/reports/run-report.ts';
import { readerOf, shownTree, type ShownRun } from '../../core/reports/shown-tree.ts';
import { budgetOf } from './budget.ts';
import type { ApiPorts } from './ports.ts';
import { Problem } from './problem.ts';
import type { RunMessages, RunResource, RunResult, RunTree } from './answers.ts';
import type { MessagesQuery } from './request-parameters.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';

/**
 * The longest part of an answer, as JSON. Lambda's answers end at 6 MB (quota "Invocation payload"), in which this
 * JSON is a string again, so that each of its backslashes and quotes counts twice.
 */
const MAX_INLINE_BYTES = 1024 ** 2;

/** How often the end of a run is looked for: soon at first, and at last every second. */
const FIRST_POLL_MS = 50;
const LAST_POLL_MS = 1_000;

/**
 * @param subject whose runs the caller may see; undefined for all
 * @throws {Problem} 404
 */
export async function findRun(id: string, { runs }: ApiPorts, subject?: string): Promise<Run> {
  const run = isRunId(id) ? await runs.run(id) : undefined;
  if (run === undefined || !belongsTo(run, subject)) throw new Problem(404, `no run ${JSON.stringify(id)}`);
  return run;
}

/** Whether something is still to come of a run: it is under way, or about to go on because it has been written to. */
export async function isToGoOn(run: Run, runs: RunStore): Promise<boolean> {
  if (isIn(UNDER_WAY, run) || !run.hasMail) return isIn(UNDER_WAY, run);
  // Most runs have never been written to, and functions start faster without this.
  const { dueRuns } = await import('../../core/lifecycle/due.ts');
  return (await dueRuns([run], [run], runs)).length > 0;
}

/**
 * Whether the run has not ended and has no carrier any more, so that it never will by itself. The carrier is looked up
 * first: a run that ends in between is then read as ended.
 */
export async function isInterrupted({ id, root }: Run, { runs, isCarriedOut }: ApiPorts): Promise<boolean> {
  if (await isCarriedOut(root)) return false;
  const run = await runs.run(id);
  return run !== undefined && isToGoOn(run, runs);
}

/**
 * The run when it has ended, or as it is after so many seconds or when its caller has gone.
 * @throws {Problem} 409 if it is interrupted
 */
export async function untilEnded(
  run: Run,
  seconds: number,
  signal: AbortSignal,
  ports: ApiPorts,
): Promise<Run> {
  const last = performance.now() + seconds * 1000;
  let newest = run;
  for (
    let pause = FIRST_POLL_MS;
    await isToGoOn(newest, ports.runs);
    pause = Math.min(LAST_POLL_MS, pause * 1.5)
  ) {
    if (await isInterrupted(newest, ports)) throw interrupted(newest);
    const left = last - performance.now();
    if (left <= 0 || signal.aborted) break;
    await delay(Math.min(pause, left), undefined, { signal }).catch(() => {}); // it ends with the signal, too
    newest = (await ports.runs.run(run.id)) ?? newest;
  }
  return newest;
}

function interrupted({ id, root }: Run): Problem {
  const knobs = `continue with: POST /runs/${root}/resume, or close it with: POST /runs/${id}/stop`;
  return new Problem(409, `run "${id}" was interrupted: its process is gone; ${knobs}`);
}

export async function toResource(run: Run, ports: ApiPorts): Promise<RunResource> {
  return summary(run, await shownTree(run, readerOf(ports)), ports);
}

/** @param subject undefined for all */
export function belongsTo({ owner }: Pick<Run, 'owner'>, subject: string | undefined): boolean {
  return subject === undefined || owner === subject;
}

export async function toTree(run: Run, ports: ApiPorts): Promise<RunTree> {
  const [tree, budget, questions] = await Promise.all([
    shownTree(run, readerOf(ports)),
    budgetOf(run, ports),
    openQuestions(readerOf(ports), run.root),
  ]);
  const ids = new Set(tree.map(({ id }) => id));
  const runs = tree.map(runOverview);
  const link = await linkIfLarge(runs, `${run.id}/tree`, ports);
  return {
    ...summary(run, tree, ports),
    ...(link === undefined ? { runs } : { runs: null, runs_link: link }),
    ...(budget !== undefined && { budget }),
    open_questions: questions.filter(({ question }) => ids.has(question.run)).map(questionReport),
  };
}

export async function toMessages(
  run: Run,
  {
    from_turn: fromTurn,
    to_turn: toTurn,
    max_characters: maxCharacters,
  }: v.InferOutput<typeof MessagesQuery>,
  ports: ApiPorts,
): Promise<RunMessages> {
  const { conversationOf } = await import('../../core/reports/conversation-report.ts');
  const conversation = await conversationOf(run.id, ports.runs, loadOwnTools, {
    fromTurn,
    toTurn,
    maxCharacters,
  });
  const link = await linkIfLarge(conversation, `${run.id}/messages`, ports);
  return link === undefined ? conversation : { conversation_link: link };
}

/** The result of a run that has ended. */
export async function toResult(run: Run, ports: ApiPorts): Promise<RunResult> {
  const tree = await shownTree(run, readerOf(ports));
  const turns = await ports.runs.turns(run.id);
  const content = lastAnswerOf(run, turns);
  const link = await linkIfLarge(content, `${run.id}/result`, ports);
  return link === undefined
    ? runReport(run, content, tree, outputOf(run, turns))
    : { ...runReport(run, content, tree), content: null, content_link: link };
}

function summary(run: Run, tree: ShownRun[], { link }: ApiPorts): RunResource {
  const shown = tree.find(({ id }) => id === run.id) ?? run;
  return {
    ...runOverview(shown),
    tree: treeReport(tree),
    ...(link !== undefined && run.execution !== '' && { execution_url: link(run.execution) }),
  };
}

/** An address for a text that would make an answer too long: a text as it is, anything else as JSON. */
async function linkIfLarge(value: unknown, name: string, ports: ApiPorts) {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) <= MAX_INLINE_BYTES) return undefined;
  const text = typeof value === 'string' ? value : json;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const { url, expiresAt } = await ports.publish(`answers/${name}/${digest}`, text);
  return { url, bytes: Buffer.byteLength(text), expires_at: new Date(expiresAt).toISOString() };
}
