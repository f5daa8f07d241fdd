import type { Context } from 'hono';
import type * as v from 'valibot';
import { AnsweredError } from '../../core/lifecycle/answer-question.ts';
import { ConfigError } from '../../errors.ts';
import { openQuestions } from '../../core/reports/open-questions.ts';
import { questionReport, type QuestionReport } from '../../core/reports/question-report.ts';
import { parseCallName } from '../../core/records/call.ts';
import { MAX_ANSWER_CHARACTERS } from '../../core/records/question.ts';
import type { Run } from '../../core/records/run.ts';
import type { ApiContext } from './context.ts';
import { badField, Problem } from './problem.ts';
import type { GivenAnswer } from './answers.ts';
import { parseBody } from './request.ts';
import { AnswerQuestion } from './request-bodies.ts';
import { belongsTo } from './run-resources.ts';
import { callerOf } from './subject.ts';

/** Questions that wait for a person. @param subject whose runs the caller may see; undefined for all */
export async function listQuestions(context: ApiContext, subject?: string): Promise<QuestionReport[]> {
  const open = await openQuestions(context.environment.records);
  return open.filter(({ question }) => belongsTo(question, subject)).map(questionReport);
}

/** Answers a question of a run as the body of a request says. */
export async function answerQuestion(
  c: Context,
  run: Pick<Run, 'id'>,
  id: string,
  context: ApiContext,
): Promise<v.InferOutput<typeof GivenAnswer>> {
  return giveAnswer(run, id, await parseBody(c, AnswerQuestion), context, callerOf(c));
}

/**
 * Answers a question of a run.
 * @param by the caller, whom the record keeps
 * @throws {Problem} 404 if there is no such question, 409 if it was answered or the agent was killed, 400 for an answer that is none
 */
export async function giveAnswer(
  run: Pick<Run, 'id'>,
  id: string,
  { text, choice, arguments: changed }: AnswerQuestion,
  { environment }: ApiContext,
  by: string | undefined,
): Promise<v.InferOutput<typeof GivenAnswer>> {
  const at = parseCallName(id);
  const question = at && (await environment.records.question({ run: run.id, ...at }));
  if (question === undefined) throw new Problem(404, `run "${run.id}" has no question ${JSON.stringify(id)}`);
  if (choice !== undefined && !question.choices?.includes(choice)) {
    const choices = question.choices?.map((one) => JSON.stringify(one)).join(', ');
    throw badField(
      'choice',
      choices === undefined ? 'must be absent: there are none' : `must be one of ${choices}`,
    );
  }
  const words = choice ?? text ?? '';
  if (words.trim() === '') throw badField('text', 'must not be blank');
  if (words.length > MAX_ANSWER_CHARACTERS) {
    throw badField('text', `must have at most ${MAX_ANSWER_CHARACTERS} characters`);
  }
  try {
    const kept = await environment.answer(question, { text: words, arguments: changed }, by);
    return { run_id: run.id, question_id: id, answer: kept.text ?? '', answered_at: kept.at };
  } catch (thrown) {
    if (thrown instanceof AnsweredError) throw new Problem(409, thrown.message);
    if (thrown instanceof ConfigError) throw new Problem(400, thrown.message);
    throw thrown;
  }
}
