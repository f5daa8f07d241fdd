import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import * as v from 'valibot';
import { compileGlob } from '../../core/agent-schema/glob.ts';
import { readStart } from '../../core/agent-schema/workspace.ts';
import type { Grade } from '../../core/reports/eval-report.ts';
import { schemaFaults } from '../../core/tool-contracts/schema-faults.ts';
import type { FunctionResult } from '../../core/tool-contracts/tool.ts';
import { counted } from '../../counted.ts';
import { AgentError } from '../../errors.ts';
import { parseJson, type Json } from '../../json.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';
import { parseSchemaFile } from '../loading/schema-file.ts';
import { expectationText, type Expectation } from './expectation.ts';
import type { JudgeVerdict } from './judge.ts';
import type { CaseOutcome } from './outcome.ts';
import type { EvalCase, EvalFile } from './read-eval.ts';

/** A case that has been played. */
export interface Graded {
  outcome: CaseOutcome;
  /** Absolute: the files as the agent left them; absent: where it worked elsewhere. */
  workspace: string | undefined;
}

export interface GradePorts {
  /** Calls `handler` of a module. */
  callFunction(file: EvalFile, given: Json): Promise<FunctionResult>;
  /** Asks the judge, or finds what it said of the same before. */
  judge(criterion: string): Promise<JudgeVerdict>;
}

/** Holds an outcome against all that is expected of it. */
export function gradeAll(tested: EvalCase, graded: Graded, ports: GradePorts): Promise<Grade[]> {
  return Promise.all(
    tested.written.expect.map(async (expectation) => ({
      grader: expectationText(expectation),
      ...(await gradeOne(expectation, tested, graded, ports)),
    })),
  );
}

type Result = Omit<Grade, 'grader'>;

const PASSED: Result = { passed: true };
const failed = (reason: string): Result => ({ passed: false, reason });

async function gradeOne(
  expectation: Expectation,
  tested: EvalCase,
  { outcome, workspace }: Graded,
  ports: GradePorts,
): Promise<Result> {
  const { answer, calls, seconds, report } = outcome;
  switch (expectation.kind) {
    case 'contains':
      return answer.includes(expectation.text) ? PASSED : failed(`the answer does not: ${shown(answer)}`);
    case 'matches':
      return gradeMatch(answer, expectation.pattern, 'the answer');
    case 'schema':
      return gradeSchema(answer, tested.named.get(expectation.path));
    case 'file':
      return workspace === undefined
        ? failed('files are only there where the case was played on this machine')
        : gradeFile(expectation, workspace);
    case 'calls':
      return gradeCalls(expectation, callsOf(expectation.tool, calls));
    case 'not_calls': {
      const [first] = callsOf(expectation.tool, calls);
      return first === undefined
        ? PASSED
        : failed(`it called ${first.tool} with ${shown(JSON.stringify(first.arguments))}`);
    }
    case 'turns_at_most':
      return report.turns <= expectation.most ? PASSED : failed(`it took ${counted(report.turns, 'turn')}`);
    case 'seconds_at_most':
      return seconds <= expectation.most ? PASSED : failed(`it took ${seconds.toFixed(1)} seconds`);
    case 'usd_at_most': {
      const { usd } = report.tree;
      if (usd === null) return failed('the price of its model is not known');
      return usd <= expectation.most ? PASSED : failed(`it cost $${Number(usd.toPrecision(3))}`);
    }
    case 'function': {
      const module = tested.named.get(expectation.path);
      return module === undefined
        ? failed('there is no such module')
        : gradeByFunction(module, tested, { outcome, workspace }, ports);
    }
    case 'judge':
      return gradeByJudge(expectation, ports);
  }
}

async function gradeSchema(answer: string, file: EvalFile | undefined): Promise<Result> {
  if (file === undefined) return failed('there is no such schema');
  const schema = await parseSchemaFile(file.path, await readFile(file.real, 'utf8'));
  let value: Json;
  try {
    value = parseJson(answer);
  } catch {
    return failed(`the answer is no JSON: ${shown(answer)}`);
  }
  const faults = schemaFaults(value, schema, 'property');
  return faults.length === 0 ? PASSED : failed(faults.join('; '));
}

/** More of a file is not looked at. */
const MOST_BYTES = 10_000_000;

async function gradeFile(
  { path, contains, matches: pattern }: Extract<Expectation, { kind: 'file' }>,
  workspace: string,
): Promise<Result> {
  const bytes = await readStart(openFolderWorkspace(workspace), path, MOST_BYTES);
  if (bytes === undefined) return failed('there is no such file');
  const text = new TextDecoder().decode(bytes);
  if (contains !== undefined && !text.includes(contains)) return failed(`it does not: ${shown(text)}`);
  return pattern === undefined ? PASSED : gradeMatch(text, pattern, 'it');
}

function gradeCalls(
  { atLeast, atMost = Infinity }: Extract<Expectation, { kind: 'calls' }>,
  made: CaseOutcome['calls'],
): Result {
  if (made.length >= atLeast && made.length <= atMost) return PASSED;
  return failed(made.length === 0 ? 'it was not called' : `it was called ${counted(made.length, 'time')}`);
}

function callsOf(pattern: string, calls: CaseOutcome['calls']): CaseOutcome['calls'] {
  const fits = compileGlob(pattern, { dots: true });
  return calls.filter(({ tool }) => fits(tool));
}

/** What a function that grades returns. */
const Returned = v.object({
  pass: v.boolean(),
  score: v.optional(v.number()),
  reason: v.optional(v.string()),
});

async function gradeByFunction(
  module: EvalFile,
  { written }: EvalCase,
  { outcome, workspace }: Graded,
  { callFunction }: GradePorts,
): Promise<Result> {
  const { expect: _expect, ...shownCase } = written;
  const run = { ...outcome.report, calls: outcome.calls };
  const given: unknown = { case: shownCase, answer: outcome.answer, run, workspace: workspace ?? null };
  const plain = parseJson(JSON.stringify(given));
  const result = await callFunction(module, plain);
  if ('failed' in result) return failed(result.failed);
  const returned = v.safeParse(Returned, result.value);
  if (!returned.success)
    return failed(`it must return { pass, score?, reason? }, not ${shown(JSON.stringify(result.value))}`);
  const { pass: passed, score, reason } = returned.output;
  return { passed, ...(score !== undefined && { score }), ...(reason !== undefined && { reason }) };
}

async function gradeByJudge(
  { criterion, atLeast }: Extract<Expectation, { kind: 'judge' }>,
  { judge }: GradePorts,
): Promise<Result> {
  try {
    const { score, reason, run } = await judge(criterion);
    return { passed: score >= atLeast, score, reason, run_id: run };
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    return failed(thrown.message);
  }
}

/** An expression that goes back over a text again and again could hold the process for ever, deaf to Ctrl-C. */
const MATCHING_MS = 2_000;

function gradeMatch(text: string, pattern: string, whose: string): Result {
  try {
    const match = "new RegExp(pattern, 'u').test(text)";
    const isFound: unknown = runInNewContext(match, { pattern, text }, { timeout: MATCHING_MS });
    return isFound === true ? PASSED : failed(`${whose} does not: ${shown(text)}`);
  } catch (thrown) {
    if (!isLate(thrown)) throw thrown;
    return failed(`${whose} could not be looked through in ${MATCHING_MS / 1000}s: ${shown(text)}`);
  }
}

/** It is an error of the other context. */
function isLate(thrown: unknown): boolean {
  return v.is(v.object({ code: v.literal('ERR_SCRIPT_EXECUTION_TIMEOUT') }), thrown);
}

const SHOWN_CHARACTERS = 200;

function shown(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line === '') return '(empty)';
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}
