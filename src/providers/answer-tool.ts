import type { ModelResponse } from '../core/records/message.ts';
import type { ModelRequest } from '../core/model/model.ts';

/** The tool that a model calls to give an answer that has a schema, where its API does not take the schema itself. */
export const ANSWER_TOOL = 'final_answer';

/** A request for an answer with a schema as a request for a call of a tool. */
export function withAnswerTool({ outputSchema, ...request }: ModelRequest): ModelRequest {
  if (outputSchema === undefined) return request;
  const description =
    'Gives your final answer, which ends your work. Call it alone, once you have done everything else.';
  const tool = { name: ANSWER_TOOL, description, parameters: outputSchema };
  return { ...request, tools: [...request.tools, tool], mustCall: true };
}

/**
 * The answer to such a request: what the tool was called with is its text. Where other tools were called at the same
 * time, the answer was given too early, and counts for nothing.
 */
export function fromAnswerTool(response: ModelResponse): ModelResponse {
  const calls = response.calls.filter(({ name }) => name !== ANSWER_TOOL);
  const given = response.calls.findLast(({ name }) => name === ANSWER_TOOL);
  if (given === undefined) return response;
  // The content that the provider wants back with results of calls would refer to a call that does not exist here.
  const { providerContent: _providerContent, ...rest } = response;
  if (calls.length > 0) return { ...rest, calls };
  const text = given.cut ? '' : JSON.stringify(given.arguments);
  const stopReason = rest.stopReason === 'tool_calls' ? 'end' : rest.stopReason;
  return { ...rest, text, calls, stopReason };
}
