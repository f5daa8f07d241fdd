import type { UnansweredQuestion } from '../records/question.ts';
import { questionReport, type QuestionReport } from './question-report.ts';

/** More than a person reads in a notification; with choices, an event stays under half of EventBridge's 256 KB. */
const MAX_QUESTION_CHARACTERS = 2_000;
const MAX_CHOICE_CHARACTERS = 200;

/**
 * The event about a question on an account's event bus: nothing in it wakes or answers anything.
 * @param environment `dev`
 */
export function questionEvent(
  environment: string,
  open: UnansweredQuestion,
): Omit<QuestionReport, 'arguments'> & { environment: string } {
  // The arguments of a call may be anything, a file's text for example.
  const { arguments: _arguments, ...report } = questionReport(open);
  return {
    environment,
    ...report,
    question: bounded(report.question, MAX_QUESTION_CHARACTERS),
    choices: report.choices.map((choice) => bounded(choice, MAX_CHOICE_CHARACTERS)),
  };
}

function bounded(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
