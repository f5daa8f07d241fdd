import * as v from 'valibot';
import { modelName, seconds, SPENDING, text } from './request-bodies.ts';
import { only, wholeNumber } from './request.ts';

/** The schemas of bodies with which a run that is there is changed, apart from those that every function loads. */

export const SendMessage = only({
  text: v.pipe(
    text('What the agent is told.'),
    v.check((words) => words.trim() !== '', 'must not be blank'),
  ),
});

export const ResumeRun = only({
  timeout: seconds('Seconds from now on, instead of those that the run was opened with'),
  model: modelName('Replaces, from now on, the one that the run was opened with'),
});

export type ResumeRun = v.InferOutput<typeof ResumeRun>;

export const ForkRun = only({
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
      v.check((words) => words.trim() !== '', 'must not be blank'),
    ),
  ),
  model: modelName("Replaces the run's"),
  timeout: seconds('Seconds for the copy, instead of those that its tree was given'),
});

export const AddBudget = v.pipe(
  only(SPENDING),
  v.check(
    ({ max_tokens: tokens, max_usd: usd }) => (tokens ?? usd) !== undefined,
    'must have max_tokens, max_usd or both',
  ),
);
