import type { Context } from 'hono';
import type * as v from 'valibot';
import { AnsweredError, WrongArgumentsError } from '../../core/lifecycle/answer-question.ts';
import { ConfigError } from '../../errors.ts';
import { openQuestions } from '../../core/reports/open-questions.ts';
import { questionReport, type QuestionReport } from '../../core/reports/question-report.ts';
import { parseCallName } from '../../core/records/call.ts';
import { MAX_ANSWER_CHARACTERS, type Question } from '../../core/records/question.ts';
import type { Run } from '../../core/records/run.ts';
import type { ApiContext } from './context.ts';
import { badField, Problem } from './problem.ts';
import type { GivenAnswer, QuestionDetails } from './answers.ts';
import { defined } from '../../defined.ts';
import type { RunReader } from '../../core/records/ports.ts';
import { wholeApproval } from '../../core/turn/hooked-question.ts';
import type { WrongArgument } from '../../core/turn/changed-arguments.ts';
import { parseBody } from './request.ts';
import { AnswerQuestion } from './steering-bodies.ts';
import { maySee, nameOfCaller } from './subject.ts';

/** Questions that wait for a person, of runs that the caller may see. */
export async function listQuestions(context: ApiContext): Promise<QuestionReport[]> {
  const open = await openQuestions(context.environment.records);
  return open.filter(({ question }) => maySee(question, context)).map(questionReport);
}

/** Answers a question of a run as the body of a request says. */
export async function answerQuestion(
  c: Context,
  run: Pick<Run, 'id'>,
  id: string,
  context: ApiContext,
): Promise<v.InferOutput<typeof GivenAnswer>> {
  return giveAnswer(run, id, await parseBody(c, AnswerQuestion), context, nameOfCaller(c, context));
}

/**
 * A question with all that is needed to answer it, or how it was answered.
 * @throws {Problem} 404 if there is no such question
 */
export async function readQuestion(
  run: Pick<Run, 'id'>,
  id: string,
  { environment: { records } }: ApiContext,
): Promise<QuestionDetails> {
  const question = await findQuestion(run, id, records);
  const { approval: { tool } = {} } = question;
  const [wait, answer, opened, whole] = await Promise.all([
    records.answerWait(question),
    records.answer(question),
    records.opened(question.run),
    tool === undefined ? undefined : wholeApproval(question, records),
  ]);
  return {
    ...questionReport({ question, ...defined({ wait }) }),
    ...defined({
      arguments: whole,
      parameters: opened?.tools.find(({ name }) => name === tool)?.parameters,
    }),
    ...(answer !== undefined && {
      ended: { at: answer.at, ...defined({ answer: answer.text, by: answer.by }) },
    }),
  };
}

async function findQuestion({ id: run }: Pick<Run, 'id'>, id: string, records: RunReader): Promise<Question> {
  const at = parseCallName(id);
  const question = at && (await records.question({ run, ...at }));
  if (question === undefined) throw new Problem(404, `run "${run}" has no question ${JSON.stringify(id)}`);
  return question;
}

/** Names are those of the body: `arguments.path`. */
function fieldFault({ place, text }: WrongArgument): { field: string; detail: string } {
  return { field: ['arguments', ...place].join('.'), detail: text };
}

/**
 * Answers a question of a run.
 * @param by the caller, for the record
 * @throws {Problem} 404 if there is no such question, 409 if it was answered or the agent was killed, 400 for an
 *   invalid answer
 */
export async function giveAnswer(
  run: Pick<Run, 'id'>,
  id: string,
  { text, choice, arguments: changed }: AnswerQuestion,
  { environment }: ApiContext,
  by: string | undefined,
): Promise<v.InferOutput<typeof GivenAnswer>> {
  const question = await findQuestion(run, id, environment.records);
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
    if (thrown instanceof WrongArgumentsError) {
      throw new Problem(400, thrown.message, thrown.faults.map(fieldFault));
    }
    if (thrown instanceof AnsweredError) throw new Problem(409, thrown.message);
    if (thrown instanceof ConfigError) throw new Problem(400, thrown.message);
    throw thrown;
  }
}
