import { isDeepStrictEqual } from 'node:util';
import { badField } from '../problem.ts';

/** A parameter of OpenAI's that an agent cannot follow. */
interface Unfollowed {
  /** Values that ask for nothing which does not hold anyway. */
  harmless: unknown[];
  why: string;
}

const IN_FILE = "it is set in the agent's file";
const NO_TOOLS = 'an agent has the tools of its file, and calls them itself';

const UNFOLLOWED = new Map<string, Unfollowed>(
  Object.entries({
    audio: { harmless: [], why: 'an agent answers in text' },
    frequency_penalty: { harmless: [0], why: 'an agent sets none' },
    function_call: { harmless: ['none', 'auto'], why: NO_TOOLS },
    functions: { harmless: [[]], why: NO_TOOLS },
    logit_bias: { harmless: [{}], why: 'an agent sets none' },
    logprobs: { harmless: [false], why: 'an agent gives none' },
    modalities: { harmless: [['text']], why: 'an agent answers in text' },
    n: { harmless: [1], why: 'an agent gives one answer' },
    prediction: { harmless: [], why: 'an agent takes none' },
    presence_penalty: { harmless: [0], why: 'an agent sets none' },
    reasoning_effort: { harmless: [], why: IN_FILE },
    seed: { harmless: [], why: 'what an agent does cannot be repeated' },
    service_tier: { harmless: ['auto', 'default'], why: 'an agent has one' },
    stop: { harmless: [[]], why: 'an agent sets none' },
    store: { harmless: [false], why: 'a run is kept in any case: see GET /runs/{id}' },
    temperature: { harmless: [1], why: IN_FILE },
    tool_choice: { harmless: ['none', 'auto'], why: NO_TOOLS },
    tools: { harmless: [[]], why: NO_TOOLS },
    top_logprobs: { harmless: [0], why: 'an agent gives none' },
    top_p: { harmless: [1], why: 'an agent sets none' },
    verbosity: { harmless: ['medium'], why: 'an agent sets none' },
    web_search_options: { harmless: [], why: NO_TOOLS },
  }),
);

/** Names the asker, or the purpose: no answer depends on it. */
const UNREAD = ['metadata', 'parallel_tool_calls', 'prompt_cache_key', 'safety_identifier', 'user'];

/**
 * Takes out of a request every parameter that has no effect here and would have none at OpenAI.
 * @returns the rest
 * @throws {Problem} 400 that names the first parameter whose effect the client would miss
 */
export function withoutHarmless(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => {
      if (value === null || UNREAD.includes(name)) return false;
      const { harmless, why } = UNFOLLOWED.get(name) ?? {};
      if (harmless === undefined) return true;
      if (harmless.some((each) => isDeepStrictEqual(each, value))) return false;
      throw badField(name, `is not supported: ${why}`);
    }),
  );
}
