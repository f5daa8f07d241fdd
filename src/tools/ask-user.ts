import { refused } from '../runs/plan.ts';
import { anyText } from './arguments.ts';
import type { PlannedTool } from './delegation/delegation.ts';

/** What an agent reads whose question nobody answered. */
const UNANSWERED = '(question could not be answered)';

/** `ask_user`: asks the person for whom the tree works. Nobody can be asked yet. */
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
    const isMissing = anyText(call.arguments['question']).trim() === '';
    if (isMissing) return refused('Missing required parameter: question');
    return { kind: 'done', text: UNANSWERED, isError: false };
  },
};
