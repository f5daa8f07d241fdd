import type { ModelRequest } from '../../core/model/model.ts';
import { mostSearches } from '../../core/model/searches.ts';
import { defined } from '../../defined.ts';
import type { OpenAIApi, ReasoningEffort } from '../../core/records/message.ts';

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

/**
 * Models that label their messages, and are to get the labels back: GPT-5.3 and later.
 * https://developers.openai.com/api/reference/resources/responses
 */
export function hasPhases(model: string): boolean {
  return /(^|\/)gpt-(5\.[3-9]|[6-9])/.test(model) && isReasoning(model);
}

/** The temperature of a request, if its model takes one. */
export function toTemperature(request: ModelRequest): { temperature?: number } {
  const { model, temperature, reasoningEffort } = request;
  return takesTemperature(model, reasoningEffort) ? defined({ temperature }) : {};
}

/**
 * Whether a model takes a temperature: not while it thinks, which GPT-5.1 to 5.4 do only if told to, later ones unless
 * told not to, and all others always.
 * https://developers.openai.com/api/docs/guides/latest-model
 */
function takesTemperature(model: string, effort: ReasoningEffort | undefined): boolean {
  if (!isReasoning(model)) return true;
  if (THINKS_IF_TOLD.test(model)) return effort === undefined || effort === 'none';
  return THINKS_UNLESS_TOLD.test(model) && effort === 'none';
}

const THINKS_IF_TOLD = /(^|\/)gpt-5\.[1-4](?!-(pro|codex))/;
const THINKS_UNLESS_TOLD = /(^|\/)gpt-(5\.[5-9]|[6-9])(?!-pro)/;

/**
 * Models that Chat Completions does not have: those of `ResponsesModel` in version 7.57 of OpenAI's own package that
 * are no `ChatModel`, and all whose names end in `-pro` or have `codex` in them.
 */
const RESPONSES_ONLY =
  /(^|\/)(gpt-\d(\.\d+)?-(pro|codex|cyber|rosalind)|gpt-(daybreak|rosalind)-|o[13]-pro|codex-|computer-use-|.*-deep-research)/;

/**
 * GPT-5.4 and later. In Chat Completions they refuse tools together with reasoning, which most do unless told not to.
 */
const TOOLS_BY_RESPONSES = /(^|\/)gpt-(5\.[4-9]|[6-9])/;

/** The API that a request goes to. The criteria are the same for all requests of a conversation. */
export function apiFor({ api, model, tools, reasoningEffort }: ModelRequest): OpenAIApi {
  if (api !== undefined) return api;
  if (RESPONSES_ONLY.test(model) || mostSearches(tools) > 0) return 'responses';
  const thinksOverTools = tools.length > 0 && reasoningEffort !== 'none';
  return thinksOverTools && TOOLS_BY_RESPONSES.test(model) ? 'responses' : 'chat';
}
