import { AnsweredError } from '../../../core/lifecycle/answer-question.ts';
import { ConfigError } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import { callName, parseCallName } from '../../../core/records/call.ts';
import type { Question } from '../../../core/records/question.ts';
import { ANSWERED, UNDER_WAY, isIn } from '../../../core/records/phase.ts';
import { shownStatus } from '../../../core/reports/shown-tree.ts';
import { openQuestions } from '../../../core/reports/open-questions.ts';
import { nextStep, placeText } from '../terminal/closing-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { findRun } from './find-run.ts';
import { toArguments, typedAnswer } from './typed-answer.ts';

/**
 * `cadre answer`: answers a question, whichever process or deployed machine waits for the answer.
 * @param word the run that asks, or one whose tree asks: see findRun
 * @param words the name of the question and the answer; the name may be left out where only one is open
 * @returns the exit code
 * @throws {ConfigError} if no question or several are meant, it was answered already, or its agent was killed
 */
export async function answer(
  word: string,
  words: readonly string[],
  environment: Environment,
  { env, arguments: written }: { env?: string; arguments?: string },
  io: Io,
): Promise<number> {
  const { records } = environment;
  const changed = written !== undefined && { arguments: toArguments(written, '--arguments') };
  const { question, text } = await findQuestion(word, words, environment);
  try {
    await environment.answer(question, { ...typedAnswer(question, text), ...changed }, io.user);
  } catch (thrown) {
    if (thrown instanceof AnsweredError) throw new ConfigError(thrown.message, { cause: thrown });
    throw thrown;
  }
  const { root } = question;
  const [asker, top] = await Promise.all([records.run(question.run), records.run(root)]);
  // It has gone on with the answer, which may have been given before.
  if (asker !== undefined && isIn(ANSWERED, asker)) return EXIT.success;
  if (top === undefined || (isIn(UNDER_WAY, top) && (await records.isCarriedOut(root)))) return EXIT.success;
  // The top has its answer: resuming it goes on with the agent that asked.
  const status = isIn(ANSWERED, top) ? 'interrupted' : shownStatus(top, true);
  io.stderr(`no process carries the run out now; ${nextStep({ ...top, status }, { env })}\n`);
  return EXIT.success;
}

async function findQuestion(
  word: string,
  words: readonly string[],
  environment: Environment,
): Promise<{ question: Question; text: string }> {
  const { records, name: env } = environment;
  const see = `see: cadre questions${placeText({ env })}`;
  const run = await findRun(word, environment);
  const [first = '', ...rest] = words;
  const at = rest.length > 0 ? parseCallName(first) : undefined;
  if (at !== undefined) {
    const question = await records.question({ run: run.id, ...at });
    if (question === undefined) throw new ConfigError(`run "${run.id}" has no question ${first}; ${see}`);
    return { question, text: rest.join(' ') };
  }
  const all = (await openQuestions(records)).map(({ question }) => question);
  const own = all.filter((question) => question.run === run.id);
  const open = own.length > 0 ? own : all.filter(({ root }) => root === run.id);
  const [question, ...more] = open;
  if (question === undefined) throw new ConfigError(`run "${run.id}" waits for no answer; ${see}`);
  if (more.length > 0) {
    const named = open.map((each) => `${each.run} ${callName(each)}`).join(', ');
    throw new ConfigError(`${open.length} questions are open: name one of ${named}`);
  }
  return { question, text: words.join(' ') };
}
