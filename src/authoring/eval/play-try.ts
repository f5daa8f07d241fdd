import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { defined } from '../../defined.ts';
import { newRunId } from '../../core/records/run-id.ts';
import type { RunRequest } from '../../core/records/request.ts';
import type { Tags } from '../../core/records/tags.ts';
import type { Grade, Try } from '../../core/reports/eval-report.ts';
import { readGiven } from '../../places/attach.ts';
import { toRunRequest } from '../../places/run-request.ts';
import { copyFolder } from './copy-folder.ts';
import { expectationText } from './expectation.ts';
import { gradeAll, type GradePorts } from './grade.ts';
import { askJudge, judgeKey, judgePrompt, type JudgeVerdict } from './judge.ts';
import type { KeptEvals, EvalSession } from './kept.ts';
import { outcomeOf, type CaseOutcome } from './outcome.ts';
import { playRun } from './play-run.ts';
import type { EvalCase, Evaluation } from './read-eval.ts';
import { digestOf } from './shape.ts';
import type { Variant } from './variant.ts';

/** A case that is to be played once. */
export interface AskedCase {
  tested: EvalCase;
  variant: Variant;
  /** From 1. */
  repeat: number;
  /** Its name in the evaluation. */
  at: string;
  /** The digest of what it gives to the agent. */
  input: string;
}

export interface TryPorts {
  kept: KeptEvals;
  now: () => number;
  /** Aborted when no further case is to be played. */
  signal: AbortSignal;
  callFunction: GradePorts['callFunction'];
  /** Holds the agents' time still during work that is not theirs. */
  during<T>(work: Promise<T>): Promise<T>;
}

/**
 * Plays a case once, or takes what came of it before, and grades it.
 * @throws {ConfigError} if its agent cannot be run
 * @throws the signal's reason
 */
export async function playTry(
  asked: AskedCase,
  session: EvalSession,
  evaluation: Evaluation,
  ports: TryPorts,
): Promise<Try> {
  const { tested, variant, repeat, input, at } = asked;
  const { kept, signal, during } = ports;
  const { agent, model, environment, digest, isKept } = variant;
  const key = isKept ? digestOf(['played', digest, agent, model, input, repeat]) : undefined;
  const known = key && (await kept.played(key));
  const cached = known && (await environment.records.run(known)) ? known : undefined;
  const { run, fault } = cached === undefined ? await playNow(asked, session, ports) : { run: cached };
  signal.throwIfAborted();
  const outcome = await outcomeOf(run, environment.records);
  const error = fault ?? outcome.fault;
  let workspace = cached === undefined ? undefined : await kept.workspaceOf(run);
  if (cached === undefined) {
    if (variant.isHere) workspace = await during(kept.keepWorkspace(run, session.workOf(run)));
    if (key && fault === undefined && !isFailed(outcome.run)) await kept.keepPlayed(key, run);
  }
  const judge = (criterion: string) => judged(criterion, asked, outcome, session, evaluation, ports);
  const { callFunction } = ports;
  const grades =
    error === undefined
      ? await gradeAll(tested, { outcome, workspace }, { callFunction, judge })
      : ungraded(tested);
  signal.throwIfAborted();
  const result: Try = {
    repeat,
    run_id: run,
    status: outcome.run.status,
    passed: error === undefined && grades.every(({ passed }) => passed),
    cached: cached !== undefined,
    seconds: outcome.seconds,
    turns: outcome.report.turns,
    usd: outcome.report.tree.usd,
    ...defined({ version: outcome.run.version, pack: outcome.run.pack }),
    answer: outcome.answer,
    ...defined({ error }),
    grades,
  };
  session.finish(at, result);
  return result;
}

/** Whether its run says nothing about the agent: a request failed, or it was stopped. */
export function isFailed({ status }: Pick<Try, 'status'>): boolean {
  return status === 'failed' || status === 'timed_out' || status === 'stopped';
}

/** The text that the prompt is about. */
export async function inputOf({ input = '' }: Pick<EvalCase, 'input'>): Promise<string> {
  return typeof input === 'string' ? input : readFile(input.real, 'utf8');
}

async function playNow(
  { tested, variant, at }: AskedCase,
  session: EvalSession,
  ports: TryPorts,
): Promise<{ run: string; fault?: string }> {
  const { environment, agent, model, isHere } = variant;
  const { written, prompt } = tested;
  const before = session.begun(at);
  const isThere = before !== undefined && (!isHere || existsSync(session.workOf(before)));
  const run = isThere ? before : newRunId(agent, ports.now());
  const workdir = isHere ? session.workOf(run) : undefined;
  if (!isThere) {
    if (workdir !== undefined) await ports.during(layOut(tested, workdir));
    session.begin(at, run);
  }
  const tags = tagsOf(tested, session);
  const given = await ports.during(
    readGiven(
      tested.attach.map(({ real }) => real),
      '',
    ),
  );
  const asked = {
    prompt,
    model,
    workdir,
    timeout: written.timeout,
    input: await ports.during(inputOf(tested)),
    tags,
    ...(written.person !== undefined && { patience: PATIENCE }),
  };
  const request = toRunRequest(agent, asked, given);
  const { person, knows } = written;
  const fault = await playRun(
    {
      run,
      request,
      files: given.files,
      task: taskOf(request),
      person,
      knows,
      tags,
      // What is carried out elsewhere goes on there, and is found when the evaluation is called again.
      ...(!isHere && { left: ports.signal }),
    },
    environment,
    ports,
  );
  return { run, ...defined({ fault }) };
}

/** How long a run may wait for the agent that answers in a person's place, in seconds. */
const PATIENCE = 3600;

function tagsOf({ name }: EvalCase, { id }: EvalSession): Tags {
  return { evaluation: id, case: name.slice(0, 200) };
}

function taskOf({ prompt = '', context = '' }: RunRequest): string {
  return [prompt, context].filter((text) => text.trim() !== '').join('\n\n');
}

async function layOut({ files }: EvalCase, workdir: string): Promise<void> {
  await rm(workdir, { recursive: true, force: true });
  await mkdir(workdir, { recursive: true, mode: 0o700 });
  if (files !== undefined) await copyFolder(files.real, workdir);
}

/** What was said of the same before is not paid again. */
async function judged(
  criterion: string,
  { tested, variant }: AskedCase,
  outcome: CaseOutcome,
  session: EvalSession,
  { judge }: Evaluation,
  { kept, now }: TryPorts,
): Promise<JudgeVerdict> {
  const model = judge?.model ?? '';
  const { environment } = variant;
  const request = (await environment.records.request(outcome.run.id)) ?? { prompt: tested.prompt ?? '' };
  const prompt = judgePrompt(criterion, taskOf({ agent: variant.agent, ...request }), outcome);
  const tags = tagsOf(tested, session);
  return kept.judged(judgeKey(model, prompt), () => askJudge({ model, prompt, tags }, environment, now()));
}

function ungraded({ written }: EvalCase): Grade[] {
  return written.expect.map((each) => ({
    grader: expectationText(each),
    passed: false,
    reason: 'not graded: the run gave no whole answer',
  }));
}
