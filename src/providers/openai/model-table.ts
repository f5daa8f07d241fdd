import type { ModelRequest } from '../../core/model/model.ts';
import type { OpenAIApi } from '../../core/records/message.ts';

/**
 * The requirements of OpenAI's own models that others do not share. The models are recognised by name on any server:
 * behind a gateway a name may have a path before it.
 */

/** GPT-5 and later, and the o-series. */
export function isOwnCurrent(model: string): boolean {
  return /(^|\/)(gpt-[5-9]|o\d)/.test(model);
}

/** Models that think before they answer: all of those but the ones made for chatting. */
export function isReasoning(model: string): boolean {
  return isOwnCurrent(model) && !model.includes('-chat');
}

/** Models that Chat Completions does not have. */
const RESPONSES_ONLY = /(^|\/)(gpt-5(\.\d+)?-(pro|codex)|o[13]-pro|codex-|.*-deep-research)/;

/**
 * GPT-5.4 and later. In Chat Completions they refuse tools together with reasoning, which most do unless told not to.
 */
const TOOLS_BY_RESPONSES = /(^|\/)gpt-(5\.[4-9]|[6-9])/;

/** The API that a request goes to. The criteria are the same for all requests of a conversation. */
export function apiFor({ api, model, tools, reasoningEffort }: ModelRequest): OpenAIApi {
  if (api !== undefined) return api;
  if (RESPONSES_ONLY.test(model)) return 'responses';
  const thinksOverTools = tools.length > 0 && reasoningEffort !== 'none';
  return thinksOverTools && TOOLS_BY_RESPONSES.test(model) ? 'responses' : 'chat';
}
