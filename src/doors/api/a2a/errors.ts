import {
  A2AError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Context } from 'hono';
import type { ApiContext } from '../context.ts';
import { faultOf, logFault } from '../fault.ts';
import { Problem } from '../problem.ts';

/** A handler whose errors are what a client may read of them. */
export function telling(
  handler: A2ARequestHandler,
  toError: (thrown: unknown) => A2AError,
): A2ARequestHandler {
  const one =
    <Params extends unknown[], T>(work: (...params: Params) => Promise<T>) =>
    async (...params: Params): Promise<T> => {
      try {
        return await work(...params);
      } catch (thrown) {
        throw toError(thrown);
      }
    };
  const many = <Params extends unknown[], T>(
    work: (...params: Params) => AsyncGenerator<T, void, undefined>,
  ) =>
    async function* (...params: Params): AsyncGenerator<T, void, undefined> {
      try {
        yield* work(...params);
      } catch (thrown) {
        throw toError(thrown);
      }
    };
  return {
    ...handler,
    getAgentCard: one(handler.getAgentCard),
    sendMessage: one(handler.sendMessage),
    sendMessageStream: many(handler.sendMessageStream),
    getTask: one(handler.getTask),
    cancelTask: one(handler.cancelTask),
    resubscribe: many(handler.resubscribe),
    listTasks: one(handler.listTasks),
  };
}

/** What a client may read of an error; of others than ours, all else is in the log. */
export function toA2aError(thrown: unknown, c: Context, context: ApiContext): A2AError {
  if (thrown instanceof A2AError) return thrown;
  const { status, message } =
    thrown instanceof Problem ? thrown : faultOf(thrown, logFault(thrown, c, context));
  if (status === 400 || status === 422) return new RequestMalformedError(message);
  if (status === 404) return new TaskNotFoundError(message);
  if (status === 403 || status === 409) return new UnsupportedOperationError(message);
  return new A2AError(message);
}
