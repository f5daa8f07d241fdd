import * as v from 'valibot';
import { toEventStream } from '../fixtures/event-stream.ts';
import { startModelServer, type ModelServer, type Reply } from '../fixtures/model-server.ts';

/** The request to a model. */
export interface Asked {
  /** Which turn of its conversation, from 1. */
  turn: number;
  /** Its first task. */
  message: string;
  /** Its newest message, besides the results of its calls. */
  told: string;
  /** The agent's name when it was forked; "" if it is no fork. */
  fork: string;
  /** The formats of the images in all of it, in order. */
  shown: string[];
  /** The results of the last turn's calls. */
  results: { text: string; status: string }[];
}

/** No answer ever. */
export const SILENCE = Symbol('silence');

/** A call of a sub-agent with its task, or of any tool. */
type Call = { call: string; task: string } | { tool: string; input: object };
/** A text, or calls. */
type Words = string | Call[];
export type Role = (asked: Asked) => Words | typeof SILENCE | Promise<Words | typeof SILENCE>;

const Request = v.object({
  messages: v.array(
    v.object({
      role: v.string(),
      content: v.array(
        v.object({
          text: v.optional(v.string(), ''),
          image: v.optional(v.object({ format: v.string() })),
          toolResult: v.optional(
            v.object({ content: v.array(v.object({ text: v.string() })), status: v.string() }),
          ),
        }),
      ),
    }),
  ),
});

/** How the first own message of a fork begins. */
const FORKED = /^\[You are agent \S+ "([^"]*)", forked by /;

/**
 * Amazon Bedrock's Converse on loopback: the one provider whose place is a setting of the AWS SDK, so that bundles as
 * they are deployed find it. The model of an agent's role is `anthropic.claude-<role>`.
 * @param mayAsk whether functions may ask the model of this id
 */
export function startConverse(
  roles: Record<string, Role>,
  mayAsk: (model: string) => boolean,
): Promise<ModelServer> {
  return startModelServer(async ({ path, body }): Promise<Reply> => {
    const [, model = '', name = ''] =
      /^\/model\/(anthropic\.claude-([\w-]+))\/converse-stream$/.exec(path) ?? [];
    const role = roles[name];
    if (role !== undefined && !mayAsk(model)) {
      return {
        status: 403,
        headers: { 'x-amzn-errortype': 'AccessDeniedException' },
        body: { message: `not authorized to perform bedrock:InvokeModelWithResponseStream on ${model}` },
      };
    }
    if (role === undefined) return { status: 400, body: { message: `there is no model at ${path}` } };
    const { messages } = v.parse(Request, body);
    const texts = messages.flatMap(({ role: of, content }) =>
      of === 'user' ? content.map(({ text }) => text) : [],
    );
    const said = await role({
      message: messages[0]?.content[0]?.text ?? '',
      told: messages.at(-1)?.content.findLast(({ text }) => text !== '')?.text ?? '',
      fork: FORKED.exec(texts.findLast((text) => FORKED.test(text)) ?? '')?.[1] ?? '',
      shown: messages.flatMap(({ content }) => content.flatMap(({ image }) => image?.format ?? [])),
      turn: 1 + messages.filter((message) => message.role === 'assistant').length,
      results: (messages.at(-1)?.content ?? []).flatMap(({ toolResult }) =>
        toolResult === undefined
          ? []
          : [{ text: toolResult.content.map(({ text }) => text).join(''), status: toolResult.status }],
      ),
    });
    return said === SILENCE
      ? 'silence'
      : { ...toEventStream(toEvents(said)), next: Promise.resolve(new Uint8Array()) };
  });
}

function toEvents(said: Words): object[] {
  const delta = (contentBlockIndex: number, delta: object) => ({
    contentBlockDelta: { contentBlockIndex, delta },
  });
  const content =
    typeof said === 'string'
      ? (said.match(/.{1,1000}/gs) ?? []).map((text) => delta(0, { text }))
      : said.flatMap((call, index) => {
          const { name, input } = toToolUse(call);
          const start = { toolUse: { toolUseId: `call_${index}`, name } };
          return [
            { contentBlockStart: { contentBlockIndex: index, start } },
            delta(index, { toolUse: { input: JSON.stringify(input) } }),
          ];
        });
  return [
    { messageStart: { role: 'assistant' } },
    ...content,
    { messageStop: { stopReason: typeof said === 'string' ? 'end_turn' : 'tool_use' } },
    { metadata: { usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 }, metrics: { latencyMs: 1 } } },
  ];
}

function toToolUse(call: Call): { name: string; input: object } {
  if ('tool' in call) return { name: call.tool, input: call.input };
  return { name: 'call_agent', input: { agent: call.call, task: call.task } };
}
