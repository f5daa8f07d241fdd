import * as v from 'valibot';
import { notAList } from '../../not-a-list.ts';
import { attachments, modelName, seconds, SPENDING, text } from './request-bodies.ts';
import { only, wholeNumber } from './request.ts';

/** The schemas of bodies that change an existing run, apart from those that every function loads. */

export const AnswerQuestion = v.pipe(
  only({
    text: v.exactOptional(text('The answer, in words.')),
    choice: v.exactOptional(text('One of the choices of the question, instead of a text.')),
    arguments: v.exactOptional(
      v.pipe(
        notAList(v.record(v.string(), v.unknown(), 'must be an object')),
        v.description('With which a call is approved, in place of all those that the model wrote.'),
      ),
    ),
  }),
  v.check(
    ({ text: answer, choice }) => (answer === undefined) !== (choice === undefined),
    'must have either text or choice',
  ),
);
export type AnswerQuestion = v.InferOutput<typeof AnswerQuestion>;

export const SendMessage = v.pipe(
  only({
    text: v.exactOptional(text('What the agent is told; it may be left out beside attachments.')),
    attachments: attachments('the text'),
  }),
  v.forward(
    v.check(
      ({ text: said = '', attachments: files = [] }) => said.trim() !== '' || files.length > 0,
      'must not be blank',
    ),
    ['text'],
  ),
);

export const ResumeRun = only({
  timeout: seconds('Seconds from now on, instead of those that the run was opened with'),
  model: modelName('Replaces, from now on, the one that the run was opened with'),
});
export type ResumeRun = v.InferOutput<typeof ResumeRun>;

export const ForkRun = v.pipe(
  only({
    turn: v.exactOptional(
      v.pipe(
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
        v.description(
          'The turn that the copy makes anew; absent, with a text: the one after the newest answer.',
        ),
      ),
    ),
    text: v.exactOptional(
      v.pipe(
        text('What the copy goes on with, in place of the words that the turn was made for.'),
        v.check((given) => given.trim() !== '', 'must not be blank'),
      ),
    ),
    model: modelName("Replaces the run's"),
    timeout: seconds('Seconds for the copy, instead of those that its tree was given'),
  }),
  v.check(
    ({ turn, text: said, ...others }) => (turn ?? said) !== undefined || Object.keys(others).length === 0,
    'must have turn or text: an idle copy keeps its model and its time',
  ),
);

export const AddBudget = v.pipe(
  only(SPENDING),
  v.check(
    ({ max_tokens: tokens, max_usd: usd }) => (tokens ?? usd) !== undefined,
    'must have max_tokens, max_usd or both',
  ),
);
