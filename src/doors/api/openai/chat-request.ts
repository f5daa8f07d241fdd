import type { Context } from 'hono';
import * as v from 'valibot';
import type { Attachment, NewAttachment } from '../../../core/records/attachment.ts';
import type { Message } from '../../../core/records/message.ts';
import { attachTo, checkTogether } from '../attached.ts';
import { toEarlier, type Spoken } from '../earlier-messages.ts';
import { notAList } from '../../../not-a-list.ts';
import { badField } from '../problem.ts';
import { check, oddKeys, parseBody } from '../request.ts';
import { withoutHarmless } from './parameters.ts';

/** A client's request to an agent, as OpenAI's "Create chat completion" has it. */
export interface ChatRequest {
  /** `cadre/<agent>`, or anything else that it was asked for. */
  model: string;
  /** The messages before the prompt. */
  earlier: Message[];
  prompt: string;
  /** Of the prompt. */
  attachments: Attachment[];
  /** The bytes of all that is attached, to earlier messages too. */
  files: NewAttachment[];
  /** The most tokens of one answer of the agent's model. */
  maxTokens: number | undefined;
  /** Whether the answer has to be JSON. */
  wantsJson: boolean;
  streams: boolean;
  /** Whether the last piece of a stream says what the run used. */
  includesUsage: boolean;
}

/** An image or a document, whose bytes are in its address. */
const DataUrl = v.pipe(
  v.string(),
  v.regex(/^data:[^,]*;base64,/),
  v.transform((url) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')),
);

const Part = v.union([
  v.object({ type: v.literal('text'), text: v.string() }),
  v.pipe(
    v.object({ type: v.literal('refusal'), refusal: v.string() }),
    v.transform(({ refusal }) => ({ text: refusal })),
  ),
  v.pipe(
    v.object({ type: v.literal('image_url'), image_url: v.object({ url: DataUrl }) }),
    v.transform(({ image_url }) => ({ bytes: image_url.url })),
  ),
  v.pipe(
    v.object({ type: v.literal('file'), file: v.object({ file_data: DataUrl }) }),
    v.transform(({ file }) => ({ bytes: file.file_data })),
  ),
]);

/** A text with what is attached to it. */
const Content = v.union(
  [
    v.pipe(
      v.string(),
      v.transform((text) => ({ text, bytes: [] })),
    ),
    v.pipe(
      v.array(Part),
      v.transform((parts) => ({
        text: parts.flatMap((part) => ('text' in part ? part.text : [])).join('\n'),
        bytes: parts.flatMap((part) => ('bytes' in part ? part.bytes : [])),
      })),
    ),
  ],
  'must be a text, or parts of the types "text", "image_url" and "file" whose data are in "data:…;base64," URLs',
);
const NOTHING = { text: '', bytes: [] };

const amount = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.safeInteger('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
  ),
);
const flag = v.optional(v.boolean('must be true or false'), false);

/** Clients copy this from earlier answers: only an empty one has no meaning. */
const NO_CALLS = v.optional(
  v.union([v.null(), v.strictTuple([])], "is not supported: calls of tools are the agent's own"),
);

/**
 * Clients send messages back with everything that they keep beside them, such as `name`, `annotations`, `refusal`,
 * `reasoning_content` or `cache_control`. None of it was said by anyone, so it is ignored.
 */
const Said = v.object(
  {
    role: v.picklist(
      ['system', 'developer', 'user', 'assistant'],
      "must be system, developer, user or assistant: calls of tools are the agent's own",
    ),
    content: v.nullish(Content),
    audio: v.optional(v.null('is not supported')),
    tool_calls: NO_CALLS,
    function_call: NO_CALLS,
  },
  oddKeys,
);

const Chat = v.strictObject(
  {
    model: v.pipe(v.string('must be the name of a model, such as cadre/<agent>')),
    messages: v.array(Said, 'must be a list of messages'),
    max_tokens: amount,
    max_completion_tokens: amount,
    response_format: v.optional(
      v.object(
        {
          type: v.picklist(
            ['text', 'json_object'],
            "is not supported: the schema of an answer is set in the agent's file",
          ),
        },
        'must be an object',
      ),
      { type: 'text' },
    ),
    stream: flag,
    stream_options: v.optional(
      notAList(
        v.strictObject(
          { include_usage: flag, include_obfuscation: v.optional(v.literal(false, 'is not supported')) },
          oddKeys,
        ),
      ),
      {},
    ),
  },
  oddKeys,
);

/** @throws {Problem} 400, for every parameter that cannot be obeyed, by its name */
export async function parseChatRequest(c: Context): Promise<ChatRequest> {
  const body = withoutHarmless(
    await parseBody(c, notAList(v.record(v.string(), v.unknown(), 'must be a JSON object'))),
  );
  const { model, messages, max_tokens, max_completion_tokens, response_format, stream, stream_options } =
    check(Chat, body);
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw badField('messages', 'must end with a message of the user, which is the prompt');
  const files: NewAttachment[] = [];
  const said = messages.map(({ role, content }, index): Spoken => {
    const { text, bytes } = content ?? NOTHING;
    const attached = bytes.map((each) => attachTo(each, `messages.${index}.content`));
    files.push(...attached);
    const attachments = attached.map(({ attachment }) => attachment);
    return {
      role: role === 'assistant' ? 'assistant' : 'user',
      text,
      ...(attachments.length > 0 && { attachments }),
    };
  });
  checkTogether(files);
  const earlier = toEarlier(said.slice(0, -1));
  const prompt = said.at(-1);
  if (earlier[0]?.role === 'assistant') {
    throw badField('messages', 'must not begin with a message of the assistant: most models refuse that');
  }
  return {
    model,
    earlier,
    prompt: prompt?.text ?? '',
    attachments: prompt?.attachments ?? [],
    files,
    maxTokens: max_completion_tokens ?? max_tokens,
    wantsJson: response_format.type === 'json_object',
    streams: stream,
    includesUsage: stream_options.include_usage,
  };
}
