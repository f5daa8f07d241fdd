import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { callName } from '../../../core/records/call.ts';
import type { Question } from '../../../core/records/question.ts';
import { openQuestions } from '../../../core/reports/open-questions.ts';
import { isOfTree, isRunId } from '../../../core/records/run-id.ts';
import type { Run } from '../../../core/records/run.ts';
import type { ApiContext } from '../context.ts';
import { badField, Problem } from '../problem.ts';
import { giveAnswer } from '../questions.ts';
import { AnswerQuestion } from '../steering-bodies.ts';
import { callOfId, idOfCall } from './to-ag-ui.ts';
import type { ResumeEntry } from './run-input.ts';

/** The open questions of a tree, by the ids of their interrupts. */
export async function openInterrupts(
  { id }: Run,
  { environment }: ApiContext,
): Promise<Map<string, Question>> {
  const open = await openQuestions(environment.records, id);
  return new Map(open.map(({ question }) => [idOfCall(question), question]));
}

/**
 * Answers the open questions of a tree with the entries of `resume`. An answer that an earlier request gave, whose own
 * answer was lost, is no error.
 * @param by the caller, for the records
 * @throws {Problem} 409 unless these are the open questions, 400 for an invalid answer
 */
export async function answerInterrupts(
  root: string,
  open: ReadonlyMap<string, Question>,
  resume: readonly ResumeEntry[],
  context: ApiContext,
  by: string | undefined,
): Promise<void> {
  const given = new Set(resume.map(({ interruptId }) => interruptId));
  if (given.size < resume.length) throw badField('resume', 'must answer each interrupt once');
  const missing = [...open.keys()].filter((id) => !given.has(id));
  if (missing.length > 0) {
    throw new Problem(409, `the thread waits for answers: resume must have ${missing.join(', ')}`);
  }
  const answers = resume.map(({ interruptId, status, payload }, index) => ({
    interruptId,
    index,
    body: status === 'cancelled' ? undefined : toBody(payload, `resume.${index}.payload`),
  }));
  const closed = answers.filter(({ interruptId }) => !open.has(interruptId));
  for (const { interruptId, index, body } of closed) {
    if (await isAnswered(interruptId, body, root, context)) continue;
    const field = `resume.${index}.interruptId ${JSON.stringify(interruptId)}`;
    throw new Problem(
      409,
      `${field} is not open: it was answered in another way, or never asked in this thread; leave it out`,
    );
  }
  for (const { interruptId, body } of answers) {
    const question = open.get(interruptId);
    if (question === undefined) continue;
    if (body === undefined) await context.environment.decline(question);
    else await giveAnswer({ id: question.run }, callName(question), body, context, by);
  }
}

/** Whether a question of the tree has this very answer. */
async function isAnswered(
  interrupt: string,
  body: AnswerQuestion | undefined,
  root: string,
  { environment: { records } }: ApiContext,
): Promise<boolean> {
  const call = callOfId(interrupt);
  if (call === undefined || !isRunId(call.run) || !isOfTree(call.run, root)) return false;
  const answer = await records.answer(call);
  if (answer === undefined || answer.text !== (body?.choice ?? body?.text)?.trim()) return false;
  return isDeepStrictEqual(answer.arguments, body?.arguments);
}

/** A text, or what a body of an answer over HTTP has. */
function toBody(payload: unknown, field: string): AnswerQuestion {
  if (typeof payload === 'string') return { text: payload };
  const parsed = v.safeParse(AnswerQuestion, payload);
  if (parsed.success) return parsed.output;
  throw badField(field, 'must be a text, or have text or choice and perhaps arguments');
}
