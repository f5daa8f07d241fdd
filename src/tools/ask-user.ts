import { refused } from '../core/records/plan.ts';
import { anyText } from '../core/tool-contracts/arguments.ts';
import type { PlannedTool } from '../core/tool-contracts/planned-tool.ts';

/** More than a person reads; a question is shown in lists. */
const MAX_CHOICES = 100;
const MAX_CHARACTERS = 20_000;
const MAX_CHOICE_CHARACTERS = 1_000;

/** `ask_user`: asks the person for whom the tree works. */
export const askUser: PlannedTool = {
  name: 'ask_user',

  define: ({ delegation: { ways = [] } }) =>
    ways.includes('ask_user')
      ? {
          name: 'ask_user',
          description:
            'Ask the user a question and wait for the answer. Use it when you cannot go on without information that only the user has.',
          parameters: {
            type: 'object',
            properties: {
              question: { type: 'string', description: 'The question, with everything needed to answer it' },
              choices: {
                type: 'array',
                items: { type: 'string' },
                description: 'Answers to choose from; the user may also answer in their own words',
              },
            },
            required: ['question'],
          },
        }
      : undefined,

  plan(call) {
    const question = anyText(call.arguments['question']).trim().slice(0, MAX_CHARACTERS);
    if (question === '') return refused('Missing required parameter: question');
    const choices = choicesIn(call.arguments['choices']);
    return { kind: 'ask', question, ...(choices.length > 0 && { choices }) };
  },
};

/** The different answers to choose from, as a model wrote them. */
function choicesIn(given: unknown): string[] {
  const texts = (Array.isArray(given) ? given : []).map((each) =>
    anyText(each).trim().slice(0, MAX_CHOICE_CHARACTERS),
  );
  return [...new Set(texts)].filter((text) => text !== '').slice(0, MAX_CHOICES);
}
