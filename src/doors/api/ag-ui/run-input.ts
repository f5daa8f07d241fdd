import * as v from 'valibot';
import { notAList } from '../../../not-a-list.ts';
import { oddKeys } from '../request.ts';

/** The parts of AG-UI's `RunAgentInput` that are read here (https://docs.ag-ui.com/spec/1.0). */

const id = v.pipe(
  v.string('must be a string'),
  v.nonEmpty('must not be empty'),
  v.maxLength(1_000, 'must have at most 1000 characters'),
);

const PARTS =
  'must be a text, or parts of the types "text", "image" and "document" with a source of the type "data": an agent is shown nothing else';

/** The bytes of an image or a document, which is told by them and not by its type. */
const Media = v.pipe(
  v.object({
    type: v.picklist(['image', 'document']),
    source: v.object({ type: v.literal('data'), value: v.pipe(v.string(), v.base64()) }),
  }),
  v.transform(({ source }) => ({ bytes: Buffer.from(source.value, 'base64') })),
);

const Content = v.union(
  [v.string(), v.array(v.union([v.object({ type: v.literal('text'), text: v.string() }), Media]))],
  PARTS,
);
export type Content = v.InferOutput<typeof Content>;

/** Messages come back with whatever else a client keeps with them, which is ignored. */
const ClientMessage = v.variant(
  'role',
  [
    v.object({ role: v.picklist(['user', 'system', 'developer']), content: Content }, oddKeys),
    v.object(
      {
        role: v.literal('assistant'),
        id,
        content: v.nullish(Content, ''),
        subagentRunId: v.nullish(v.string('must be a string'), ''),
      },
      oddKeys,
    ),
    v.object({ role: v.picklist(['tool', 'activity', 'reasoning']) }),
  ],
  'must be a message of user, assistant, system, developer, tool, activity or reasoning',
);

const ResumeEntry = v.object(
  {
    interruptId: id,
    status: v.picklist(['resolved', 'cancelled'], 'must be resolved or cancelled'),
    payload: v.pipe(
      v.optional(v.unknown()),
      v.description('The answer: a text, or the body of an answer to a question.'),
    ),
  },
  oddKeys,
);
export type ResumeEntry = v.InferOutput<typeof ResumeEntry>;

export const RunInput = notAList(
  v.object(
    {
      threadId: id,
      runId: id,
      messages: v.array(ClientMessage, 'must be a list of messages'),
      resume: v.nullish(v.array(ResumeEntry, 'must be a list'), []),
      tools: none('an agent has the tools of its file, and calls them itself'),
      context: none('say it in a message'),
      state: v.optional(
        v.pipe(v.unknown(), v.description("The client's own: no agent reads or changes it.")),
      ),
    },
    ({ received }) => (received === 'undefined' ? 'is missing' : 'must be a JSON object'),
  ),
);
export type RunInput = v.InferOutput<typeof RunInput>;

function none(why: string) {
  const refusal = `is not supported: ${why}`;
  return v.nullish(v.pipe(v.array(v.unknown(), refusal), v.maxLength(0, refusal)), []);
}
