import { closingReason } from '../../../core/records/closing-reason.ts';
import { ANSWERED, AT_REST, isIn } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import { isAnswer, lastAnswerOf, outputOf, type Turn } from '../../../core/records/turn.ts';
import type { AskedQuestion } from '../../../core/records/question.ts';
import { askedReport } from '../../../core/reports/question-report.ts';
import { conversationOf } from '../../../core/reports/conversation-report.ts';
import { hooksOfRun } from '../../../core/reports/hook-report.ts';
import { approvalsOf } from '../../../core/reports/approval-report.ts';
import { runInTree, runOverview, treeReport } from '../../../core/reports/run-report.ts';
import type { ApprovalReport, HookReport, TreeReport } from '../../../core/reports/run-schemas.ts';
import { shownTree, type ShownRun } from '../../../core/reports/shown-tree.ts';
import { stepOn } from '../terminal/closing-text.ts';
import { conversationText } from '../terminal/conversation-text.ts';
import { differencesText } from '../terminal/derived-run.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { count, counted } from '../../../counted.ts';
import { inDollars } from '../terminal/figures.ts';
import { findRun } from './find-run.ts';
import { askedText } from './questions.ts';
import type { Io, RunIo } from '../terminal/io.ts';
import type { Environment } from '../../../places/environment.ts';
import { printAnswer } from '../terminal/print-answer.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import { whoWords } from '../../../core/reports/words/phase-words.ts';
import { statusWord, treeText } from '../terminal/tree-text.ts';
import { loadOwnTools } from '../../../tools/load-own-tools.ts';
import { defined } from '../../../defined.ts';

export interface ShowOptions {
  json: boolean;
  messages: boolean;
  answer?: boolean;
  /** The deployed environment that the run is in; absent for one of this folder. */
  env?: string;
}

/**
 * `cadre show`: a run with everything below it, and with `--messages` its conversation; with `--answer` its answer, as
 * `run` printed it, and nothing else.
 * @param word which run: see findRun
 * @returns the exit code
 * @throws {ConfigError} if there is no such run
 */
export async function showRun(
  word: string,
  environment: Environment,
  options: ShowOptions,
  io: Io & Pick<RunIo, 'user'>,
): Promise<number> {
  const run = await findRun(word, environment);
  const { id } = run;
  const tree = await shownTree(run, environment.records);
  const top = tree.find((shown) => shown.id === id) ?? run;
  if (options.answer) return printLastAnswer(top, environment, io);
  const questions = await questionsIn(tree, environment);
  const asked = questions.filter(({ question }) => question.approval === undefined).map(askedReport);
  const turns = await environment.records.turns(id);
  const approvals = await approvalsIn(tree, { id, turns }, questions, environment);
  const hooks = await hooksOfRun(id, await environment.records.opened(id), turns, environment.records);
  const conversation = options.messages
    ? await conversationOf(id, environment.records, loadOwnTools)
    : undefined;
  const output = outputOf(run, turns);
  if (options.json) {
    const report = {
      ...runOverview(top),
      tree: treeReport(tree),
      runs: tree.map(runInTree),
      ...(asked.length > 0 && { questions: asked }),
      ...(approvals.length > 0 && { approvals }),
      ...(hooks.length > 0 && { hooks }),
      ...defined({ output }),
      ...conversation,
    };
    io.stdout(`${jsonLine(report)}\n`);
    return EXIT.success;
  }
  const link = environment.link(run.execution);
  if (link !== undefined) io.stderr(`${link}\n`);
  io.stdout(`${treeText(tree, { now: Date.now(), width: io.columns, ids: true }).join('\n')}\n`);
  io.stdout(
    `\n${[...(await differences(run, environment)), ...totals(top, tree), ...leftOut(turns), ...tagLine(top)].join('\n')}\n`,
  );
  if (approvals.length > 0) io.stdout(`\n${approvals.map((each) => approvalText(each, id)).join('\n')}\n`);
  if (hooks.length > 0) io.stdout(`\n${hooks.map(hookText).join('\n')}\n`);
  for (const each of asked) io.stdout(`\n${askedText(each, options.env)}\n`);
  for (const one of tree) {
    const why = one.failure?.message ?? closingReason(one);
    const { stoppedBy: by, status } = one;
    const who = by === undefined || status !== 'stopped' ? '' : ` (by ${whoWords(by, io.user)})`;
    if (why !== '') io.stdout(`\n${one.id}: ${oneLine(`${why}${who}`)}\n`);
  }
  const step = top.parent === undefined ? stepOn(top, options) : undefined;
  if (step !== undefined) io.stdout(`\n${step}\n`);
  if (output !== undefined) io.stdout(`\noutput: ${jsonLine(output)}\n`);
  if (conversation !== undefined) io.stdout(`\n${conversationText(conversation)}`);
  return EXIT.success;
}

/** What a hook decided, in one line. */
function hookText({ call, tool = 'the answer', hook, decision, reason, fault }: HookReport): string {
  const why = fault === undefined ? reason : `it failed - ${fault}`;
  return oneLine(
    `${call} ${tool}: hook ${JSON.stringify(hook)} said ${decision}${why === undefined ? '' : `: ${why}`}`,
  );
}

/** The questions of a tree's agents to people. A question is a call: runs that have made none need no look. */
async function questionsIn(tree: readonly ShownRun[], { records }: Environment): Promise<AskedQuestion[]> {
  const askers = tree.filter(({ usage }) => usage.toolCalls > 0);
  return (await Promise.all(askers.map(({ id }) => records.questionsOf(id)))).flat();
}

/**
 * Calls of a tree that needed approval. Runs without any such call are skipped, except the one that is shown.
 * @param shown its turns are known
 */
async function approvalsIn(
  tree: readonly ShownRun[],
  shown: { id: string; turns: readonly Turn[] },
  questions: readonly AskedQuestion[],
  { records }: Environment,
): Promise<ApprovalReport[]> {
  const gated = new Set(
    questions.filter(({ question }) => question.approval).map(({ question }) => question.run),
  );
  const needed = tree.filter(({ id }) => id === shown.id || gated.has(id));
  const turnsOf = ({ id }: ShownRun) => (id === shown.id ? shown.turns : records.turns(id));
  const all = await Promise.all(needed.map(async (run) => approvalsOf(run, await turnsOf(run), records)));
  return all.flat();
}

/** Where a copy continues a conversation, or how a derived run differs from the run whose call asked for it. */
async function differences(run: Run, { records }: Environment): Promise<string[]> {
  const { derivedBy, forkedFrom, parent } = run;
  if (forkedFrom !== undefined) return [`forked from turn ${forkedFrom.turn} of ${forkedFrom.run}`];
  if (derivedBy === undefined || parent === undefined) return [];
  const [own, caller] = await Promise.all([records.opened(run.id), records.opened(parent.run)]);
  if (own === undefined || caller === undefined) return [];
  return [oneLine(differencesText({ ...run, parent }, own, caller))];
}

/** The run's own use, and its use together with the runs below it. */
function totals(top: ShownRun, tree: readonly ShownRun[]): string[] {
  const whole = treeReport(tree);
  const own = figuresOf(treeReport([top]));
  return whole.runs === 1
    ? [`this run: ${own}`]
    : [`this run alone:  ${own}`, `with sub-agents: ${figuresOf(whole)}, in ${counted(whole.runs, 'run')}`];
}

/** The parts of the conversation that are no longer sent to its model, to fit the window. */
function leftOut(turns: readonly Turn[]): string[] {
  const changes = turns.flatMap(({ number, compaction }) => (compaction ? [{ number, ...compaction }] : []));
  const newest = changes.at(-1);
  if (newest === undefined) return [];
  const { number, results, attachments = 0, summary } = newest;
  const parts = [
    ...(attachments > 0 ? [`${counted(attachments, 'attachment')} left out`] : []),
    ...(results > 0 ? [`${counted(results, 'result')} left out`] : []),
    ...(summary === undefined ? [] : [`${counted(summary.messages, 'message')} summarised`]),
  ];
  if (parts.length === 0) return [];
  return [`compacted ${counted(changes.length, 'time')}, last for turn ${number}: ${parts.join(', ')}`];
}

/** @param shown the run that is shown, which need not be named */
function approvalText(approval: ApprovalReport, shown: string): string {
  const { run_id: run, agent, call, tool, decision, by, reason, arguments: changed, ended_at } = approval;
  const whose = run === shown ? '' : ` of ${agent} (${run})`;
  const decided =
    decision === null
      ? ended_at === null
        ? 'waits for approval'
        : 'not approved in time'
      : { approve: 'approved', deny: 'denied', always: 'approved for the rest of the run' }[decision];
  const who = by === undefined ? '' : ` by ${by}`;
  const how = changed === undefined ? '' : ` with ${jsonLine(changed)}`;
  const why = reason === undefined ? '' : `: ${reason}`;
  return oneLine(`${call}${whose} ${tool}: ${decided}${who}${how}${why}`);
}

function tagLine({ tags }: ShownRun): string[] {
  const words = Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`);
  return words.length === 0 ? [] : [oneLine(`tags: ${words.join(', ')}`)];
}

function figuresOf({ turns, tool_calls: calls, input_tokens, output_tokens, usd }: TreeReport): string {
  return [
    counted(turns, 'turn'),
    counted(calls, 'tool call'),
    `${counted(input_tokens, 'token')} in, ${count(output_tokens)} out`,
    ...(usd === null ? ['cost unknown'] : usd === 0 ? [] : [inDollars(usd)]),
  ].join(', ');
}

/** Prints the last answer of a run, even if it has failed or is at work since. */
async function printLastAnswer(run: ShownRun, environment: Environment, io: Io): Promise<number> {
  const turns = await environment.records.turns(run.id);
  const reason = closingReason(run);
  const status = `its status is ${statusWord(run)}${reason === '' ? '' : `: ${oneLine(reason)}`}`;
  // A person's fork is idle before its first message.
  if (!isIn(ANSWERED, run) && !turns.some(isAnswer)) {
    io.stderr(`Error: run "${run.id}" has no answer: ${status}\n`);
    return EXIT.agent;
  }
  await printAnswer(lastAnswerOf(run, turns), io);
  if (!isIn(AT_REST, run)) io.stderr(`Warning: run "${run.id}" has gone on since this answer: ${status}\n`);
  else if (reason !== '') io.stderr(`Warning: ${oneLine(reason)}\n`);
  return EXIT.success;
}
