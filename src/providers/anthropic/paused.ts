import { ModelError } from '../../errors.ts';
import { toSpent } from '../../core/model/estimate.ts';
import { defined } from '../../defined.ts';
import { toCounts, toStored } from './from-response.ts';
import { toAnswerBlock } from './to-request.ts';
import type { AnthropicRequest, AnthropicResponse } from './wire.ts';

/** Ten searches and looks are as many as the API makes before it pauses: so often, and the answer is as it stands. */
const MOST_PAUSES = 3;

/**
 * Has the API go on with an answer in which it has paused among its searches: it is sent what it has said, as it came.
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 * @returns one answer, with what all of its parts took
 * @throws {ModelError} as `post` does, with what the parts before took, too
 */
export async function postUntilEnded(
  body: AnthropicRequest,
  post: (body: AnthropicRequest) => Promise<AnthropicResponse>,
): Promise<AnthropicResponse> {
  let whole = await post(body);
  for (let pauses = 0; whole.stop_reason === 'pause_turn' && pauses < MOST_PAUSES; pauses++) {
    // What was reserved for the answer is for all of its parts.
    const max_tokens = body.max_tokens - (whole.usage.output_tokens ?? 0);
    const content = whole.content
      .flatMap(toStored)
      .flatMap((block) => (block.type === 'call' ? [] : [toAnswerBlock(block)]));
    if (max_tokens < 1 || content.length === 0) break;
    const before = whole;
    const messages = [...body.messages, { role: 'assistant' as const, content }];
    const next = await post({ ...body, max_tokens, messages }).catch((thrown: unknown) => {
      throw withSpent(thrown, before);
    });
    whole = {
      ...next,
      content: [...before.content, ...next.content],
      usage: added(before.usage, next.usage),
    };
  }
  return whole;
}

type Usage = AnthropicResponse['usage'];

function added(one: Usage, other: Usage): Usage {
  const sum = (
    count: 'cache_creation_input_tokens' | 'cache_read_input_tokens' | 'input_tokens' | 'output_tokens',
  ) => (one[count] === undefined || other[count] === undefined ? undefined : one[count] + other[count]);
  const searches = [one, other].map(({ server_tool_use: use }) => use?.web_search_requests ?? 0);
  return {
    ...defined({
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cache_read_input_tokens: sum('cache_read_input_tokens'),
      cache_creation_input_tokens: sum('cache_creation_input_tokens'),
    }),
    server_tool_use: { web_search_requests: searches.reduce((total, count) => total + count) },
  };
}

function withSpent(thrown: unknown, { usage }: AnthropicResponse): unknown {
  if (!(thrown instanceof ModelError)) return thrown;
  const spent = toSpent(toCounts(usage));
  const [, detail = ''] = /^\w+: (.*)$/s.exec(thrown.message) ?? [];
  const more = thrown.details.spent;
  return new ModelError(thrown.category, detail, {
    ...thrown.details,
    spent: more === undefined ? spent : 'unknown',
  });
}
