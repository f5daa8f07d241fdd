import { isJson, isShallow } from '../../json.ts';
import type { JsonSchema, ModelResponse } from '../records/message.ts';
import { INCOMPLETE } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { schemaFaults } from '../tool-contracts/schema-faults.ts';

export interface CheckedAnswer {
  answer: ModelResponse;
  faults?: string[];
}

/**
 * Checks an answer that is to be JSON. One with calls is not the final answer, and is left as it is.
 * @returns the answer with the JSON as its text, as far as there is any; and its faults, in words for the model
 */
export function checkAnswer(answer: ModelResponse, schema: JsonSchema): CheckedAnswer {
  if (answer.calls.length > 0) return { answer };
  const text = withoutFence(answer.text.trim());
  return { answer: { ...answer, text }, faults: faultsOf(text, answer, schema) };
}

/** The faults that a model is told of; it is about to find the others itself. */
const MOST_FAULTS = 10;

function faultsOf(text: string, { stopReason }: ModelResponse, schema: JsonSchema): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (stopReason === 'max_tokens') return ['it was cut off at its limit of tokens'];
    return [text === '' ? 'it is empty' : 'it is not JSON'];
  }
  if (!isShallow(value)) return ['it is nested too deeply'];
  // Such a number is infinite once it is read.
  return isJson(value)
    ? schemaFaults(value, schema, 'property', MOST_FAULTS)
    : ['a number in it is too large'];
}

/** Models like to put JSON into a block of Markdown, with a word before it. */
function withoutFence(text: string): string {
  const blocks = [...text.matchAll(/^```(?:json)?[ \t]*\n(.*?)\n?```[ \t]*$/gms)];
  const [only] = blocks;
  return blocks.length === 1 ? (only?.[1] ?? text) : text;
}

/** The correction that a model reads after an answer that does not match its schema. */
export function correctionOf(faults: readonly string[]): string {
  const list = faults.map((fault) => `- ${fault}`).join('\n');
  return `[Your answer is not valid against the JSON Schema that it must have:\n${list}\nGive the whole answer again, as JSON and nothing else.]`;
}

/**
 * Why a run ends without an answer, in words for people. A refusal is not corrected: asked again, the model refuses.
 * @param turns of which the newest has an answer that does not match its schema
 * @param since when the run was resumed, which gives it another chance; "" if it was not
 * @returns undefined where the model is still to correct it, which it may once for each answer
 */
export function failureOf(turns: readonly Turn[], since: string): string | undefined {
  const answers = turns.filter(({ faults, at }) => faults !== undefined && at > since);
  const [before, last] = answers.slice(-2);
  if (answers.at(-1)?.answer.stopReason === 'refusal') return INCOMPLETE.refusal;
  if (!before?.faults?.length || !last?.faults?.length) return undefined;
  return `the answer does not match the schema in [output], even after a correction: ${last.faults.join('; ')}`;
}
