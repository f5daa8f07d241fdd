import * as v from 'valibot';
import { LEAST_USD } from '../../core/records/nano-usd.ts';
import { ATTACHMENT_TYPES, MAX_ATTACHED_BYTES } from '../../core/records/attachment.ts';
import { LONGEST_TIMEOUT } from '../../core/records/deadline.ts';
import { TagsSchema } from '../../core/records/tags.ts';
import { only, wholeNumber } from './request.ts';

/** The schemas of requests' bodies. The OpenAPI document is made from all of them, from parameters and from answers. */

/** The names of limits of tokens and dollars in all bodies. */
export const SPENDING = {
  max_tokens: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  max_usd: v.exactOptional(
    v.pipe(
      v.number('must be a number'),
      v.minValue(LEAST_USD, `must be at least ${LEAST_USD.toFixed(6)}`),
      v.maxValue(1_000_000, 'must be at most 1000000'),
    ),
  ),
};

export const StartRun = only({
  prompt: v.exactOptional(text('What the agent is asked.')),
  context: v.exactOptional(text('The text that the prompt is about.')),
  model: modelName("Replaces the agent file's"),
  timeout: seconds('Seconds for the whole run'),
  budget: v.exactOptional(
    v.pipe(
      only({
        ...SPENDING,
        max_turns: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
        max_tool_calls: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      }),
      v.description(
        "For the run with everything below it; each limit at most the agent's own, if it sets one.",
      ),
    ),
  ),
  tags: v.exactOptional(
    v.pipe(TagsSchema, v.description('What to find the run by, such as `{"customer": "acme"}`.')),
  ),
  attachments: attachments('the prompt'),
});
export type StartRun = v.InferOutput<typeof StartRun>;

/** A file that is about to be put where the answer says. */
export const NewUpload = only({
  hash: hash(),
  bytes: v.pipe(wholeNumber(1, MAX_ATTACHED_BYTES), v.description('How many there are.')),
  type: v.exactOptional(v.picklist(ATTACHMENT_TYPES, 'must be the type of an image or of a PDF')),
});

/** @param what they go with */
export function attachments(what: string) {
  return v.exactOptional(
    v.pipe(
      v.array(hash(), 'must be a list of hashes'),
      v.maxLength(100, 'must have at most 100 hashes'),
      v.description(`Images and PDFs that go with ${what}, by the hashes that they were put under.`),
    ),
  );
}

function hash() {
  const message = 'must be a SHA-256 in 64 hexadecimal digits';
  return v.pipe(v.string(message), v.regex(/^[0-9a-f]{64}$/, message));
}

/** A text, described for the OpenAPI document. */
export function text(description: string) {
  return v.pipe(v.string('must be a string'), v.description(description));
}

/** @param what begins the description */
export function modelName(what: string) {
  const which = "with the agent's own, or one that the operator lets callers choose; sub-agents keep theirs.";
  return v.exactOptional(
    v.pipe(
      v.string('must be a string'),
      v.maxLength(256, 'must have at most 256 characters'),
      v.regex(/^[^/\s]+\/\S+$/, 'must be provider/model-name'),
      v.description(`${what} ${which}`),
    ),
  );
}

/** Of a run. @param what begins the description */
export function seconds(what: string) {
  const limit = "at most the agent's own, or 120 if it sets none";
  return v.exactOptional(v.pipe(wholeNumber(1, LONGEST_TIMEOUT), v.description(`${what}; ${limit}.`)));
}
