import type { RunEvent } from '../../../core/events/event.ts';
import type { UnansweredQuestion } from '../../../core/records/question.ts';
import { openQuestions } from '../../../core/reports/open-questions.ts';
import { questionReport, type AskedReport } from '../../../core/reports/question-report.ts';
import { placeText } from '../terminal/closing-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import type { Environment } from '../../../places/environment.ts';

/** `cadre questions`: the questions that wait for a person, and how to answer them. @returns the exit code */
export async function listQuestions(
  environment: Environment,
  { env, json }: { env?: string; json: boolean },
  io: Io,
): Promise<number> {
  const open = await openQuestions(environment.records);
  if (json) {
    io.stdout(`${jsonLine(open.map(questionReport))}\n`);
    return EXIT.success;
  }
  for (const each of open) {
    io.stdout(`${questionText(each, env)}\n`);
    const { root } = each.question;
    const resume = `cadre resume ${root}${placeText({ env })}`;
    if (each.isInterrupted) io.stdout(`  its process is gone; the run waits for: ${resume}\n`);
  }
  if (open.length === 0) io.stderr('no questions are open\n');
  return EXIT.success;
}

/** A question with its choices, for a person who answers it with another command. */
export function questionText(open: UnansweredQuestion, env?: string): string {
  const report = questionReport(open);
  const { run_id, agent, question_id, question, choices, expires_at, tool } = report;
  const until = expires_at === null ? '' : ` (until ${expires_at})`;
  const answer = `  ${answerCommand(run_id, question_id, env)}`;
  if (tool !== undefined) {
    return [
      `${agent} needs approval${until}: ${oneLine(question)}`,
      `  ${tool} ${jsonLine(report.arguments)}`,
      `${answer} ${choices.map((choice) => (choice === 'deny' ? 'deny [reason]' : choice)).join(' | ')}`,
    ].join('\n');
  }
  return [
    `${agent} asks${until}: ${oneLine(question)}`,
    ...choices.map((choice, index) => `  ${index + 1}. ${oneLine(choice)}`),
    `${answer} "…"`,
  ].join('\n');
}

/** Prints a new question, with the command that answers it, where no person can answer here. */
export function tellQuestion(event: RunEvent, tell: (text: string) => void, env: string | undefined): void {
  if (event.type === 'question_asked') tell(`${questionText({ question: event }, env)}\n`);
}

/** A question that was asked, with its answer and the person who gave it. */
export function askedText(asked: AskedReport, env?: string): string {
  const { run_id, agent, question_id, question, answer, answered_by, ended_at } = asked;
  const by = answered_by === undefined ? '' : ` by ${oneLine(answered_by)}`;
  const ended =
    answer !== null
      ? `answered${by}: ${oneLine(answer)}`
      : ended_at !== null
        ? 'not answered in time'
        : `not answered yet; answer with: ${answerCommand(run_id, question_id, env)} "…"`;
  return `${agent} asked (${question_id} of ${run_id}): ${oneLine(question)}\n  ${ended}`;
}

function answerCommand(run: string, question: string, env: string | undefined): string {
  return `cadre answer ${run} ${question}${placeText({ env })}`;
}
