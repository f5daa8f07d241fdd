import { MOST_VALUES, ValueCount } from './value-count.ts';

/** Nothing that a model can use is larger than this, which is what the packages of MCP take over stdio. */
export const MAX_ANSWER_BYTES = 10 * 2 ** 20;

/** An answer whose body fails once it is too large to be read or to be parsed. */
export function bounded(response: Response): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const values = new ValueCount();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) controller.error(new AnswerTooLong(`${MAX_ANSWER_BYTES / 2 ** 20} MB`));
        else if (!values.add(chunk)) controller.error(new AnswerTooLong(`${MOST_VALUES} values`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';

  constructor(most: string) {
    super(`the answer is larger than ${most}`);
  }
}
