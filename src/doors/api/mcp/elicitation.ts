import { inputRequired, inputResponse, type ServerContext } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { callName, parseCallName } from '../../../core/records/call.ts';
import type { Question } from '../../../core/records/question.ts';
import { nameHidden } from '../../../shown-characters.ts';
import { giveAnswer } from '../questions.ts';
import type { ApiContext } from '../context.ts';
import { Problem } from '../problem.ts';
import { findRun } from '../run-resources.ts';
import { assertMayAnswer } from '../subject.ts';

/** Questions of agents as elicitations: forms that a client shows to the person who uses it. */

/** The questions as forms, each under its run and its id. */
export function toForms(questions: readonly Question[]) {
  return Object.fromEntries(questions.map((question) => [keyOf(question), toForm(question)]));
}

/** The key of a question's form. */
export function keyOf(question: Question): string {
  return `${question.run}/${callName(question)}`;
}

function toForm({ agent, question, choices, approval }: Question) {
  const details = approval === undefined ? '' : `\n\n${JSON.stringify(approval.arguments, undefined, 2)}`;
  const text = { type: 'string' as const, title: approval === undefined ? 'Answer' : 'Reason for denying' };
  return inputRequired.elicit({
    message: nameHidden(`${agent}: ${question}${details}`),
    requestedSchema: {
      type: 'object',
      properties: {
        ...(choices !== undefined && {
          choice: { type: 'string' as const, title: 'Choice', enum: choices.map(nameHidden) },
        }),
        text,
      },
      required: approval !== undefined ? ['choice'] : choices === undefined ? ['text'] : [],
    },
  });
}

const Filled = v.object({ choice: v.optional(v.string(), ''), text: v.optional(v.string(), '') });

/**
 * Hands on the person's answers. A person who did not want to answer, or could not, is not named.
 * @param asked the keys of the forms
 * @throws {Problem} 403 if the caller may not answer
 */
export async function takeAnswers(
  { mcpReq }: ServerContext,
  asked: readonly string[],
  context: ApiContext,
): Promise<void> {
  if (asked.length > 0) assertMayAnswer(context);
  for (const key of asked) {
    const [run = '', id = ''] = key.split('/');
    const at = parseCallName(id);
    const question = at && (await context.environment.records.question({ run, ...at }));
    if (question === undefined) continue;
    const view = inputResponse(mcpReq.inputResponses, key);
    const filled = v.safeParse(Filled, view.kind === 'elicit' ? view.content : undefined);
    const { choice, text } = filled.success ? filled.output : { choice: '', text: '' };
    // As the agent wrote it, who gave its choices.
    const chosen = question.choices?.find((each) => nameHidden(each) === choice) ?? choice;
    const words =
      question.approval === undefined ? chosen || text : choice === 'deny' ? `deny ${text}` : choice;
    // Whoever may not see the run may not decline its questions either.
    const asking = await findRun(run, context);
    try {
      if (words.trim() === '') await context.environment.decline(question);
      else await giveAnswer(asking, id, { text: words }, context, undefined);
    } catch (thrown) {
      // Another answer was quicker, or this is no answer, and the form is shown again.
      if (!(thrown instanceof Problem) || ![400, 409].includes(thrown.status)) throw thrown;
    }
  }
}
