import type { ReasoningEffort, ToolParameters } from '../core/records/message.ts';
import { closedSchema } from './closed-schema.ts';

/**
 * The amount of thinking that Claude is asked for, by Anthropic and by Bedrock alike. A model's version decides which
 * settings it takes: https://platform.claude.com/docs/en/build-with-claude/thinking
 */

export type ClaudeEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type ClaudeThinking =
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'adaptive'; block_binding?: { prefix_mismatch_behavior: 'drop_block' } }
  | { type: 'disabled' }
  | { type: 'between_tools' };

export interface ThinkingParameters {
  thinking?: ClaudeThinking;
  output_config?: { effort: ClaudeEffort };
}

export interface ThinkingWish {
  effort: ReasoningEffort | undefined;
  /** Of the answer, thoughts included. */
  maxTokens: number;
  /** The fate of the thoughts in the conversation: see kept-blocks.ts. */
  thoughts: { areKept: boolean; areLost: boolean };
}

/** @returns no parameters where the model decides for itself, or cannot think */
export function toThinking(model: string, wish: ThinkingWish): ThinkingParameters {
  const claude = claudeOf(model);
  if (claude === undefined) return {};
  const parameters = wish.effort === undefined ? {} : toParameters(claude, wish.effort, wish);
  const { thinking = ADAPTIVE } = parameters;
  if (!wish.thoughts.areKept || claude.version < 51 || thinking.type !== 'adaptive') return parameters;
  return {
    ...parameters,
    thinking: { ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } },
  };
}

const ADAPTIVE: ClaudeThinking = { type: 'adaptive' };

/**
 * From 5.1 on, a model refuses its own thoughts if anything before them has changed, such as a result that was
 * shortened, unless it is told to continue without them:
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
export const FORGETTING_BETA = 'thinking-binding-controls-2026-08-01';

function toParameters(
  claude: Claude,
  effort: ReasoningEffort,
  { maxTokens, thoughts }: ThinkingWish,
): ThinkingParameters {
  if (effort === 'none') return withoutThinking(claude);
  if (claude.version >= 46)
    return { thinking: ADAPTIVE, output_config: { effort: toEffort(effort, claude) } };
  const budget_tokens = Math.min(
    Math.max(Math.floor(maxTokens * SHARES[effort]), LEAST_THINKING_TOKENS),
    maxTokens - LEAST_ANSWER_TOKENS,
  );
  // Older models refuse to think about the results of calls that no thought came before.
  if (budget_tokens < LEAST_THINKING_TOKENS || thoughts.areLost) return {};
  return { thinking: { type: 'enabled', budget_tokens } };
}

/** Whether a model takes a temperature: not while it thinks, and not at all after version 4.6. */
export function takesTemperature(model: string, { thinking }: ThinkingParameters): boolean {
  const { version = 0 } = claudeOf(model) ?? {};
  return version < 47 && thinking?.type !== 'enabled' && thinking?.type !== 'adaptive';
}

/** Whether a model can be made to call a tool: those that take no temperature refuse that, too. */
export function takesToolChoice(model: string, parameters: ThinkingParameters): boolean {
  return takesTemperature(model, parameters);
}

/** Whether a model can be held to a schema: https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
export function takesSchema(model: string, outputSchema: ToolParameters | undefined): boolean {
  const { version = 0 } = claudeOf(model) ?? {};
  return outputSchema !== undefined && version >= 45 && closedSchema(outputSchema) !== undefined;
}

interface Claude {
  family: string;
  /** 45 for 4.5. */
  version: number;
}

/** The models that can think, by any name that they have with a provider; undefined for all others. */
function claudeOf(model: string): Claude | undefined {
  if (model.includes('claude-3-7-sonnet')) return { family: 'sonnet', version: 37 };
  if (model.includes('claude-mythos-preview')) return { family: 'mythos', version: 47 };
  // A number of more than two digits is a date.
  const name = /claude-(?<family>[a-z]+)-(?<major>\d)(?:-(?<minor>\d))?(?!\d)/.exec(model)?.groups;
  if (name === undefined) return undefined;
  return { family: name['family'] ?? '', version: 10 * Number(name['major']) + Number(name['minor'] ?? 0) };
}

/** Each generation has its own way; some models always think. */
function withoutThinking({ family, version }: Claude): ThinkingParameters {
  if (version < 50) return {};
  const canBeOff = version === 50 || (family === 'haiku' && version === 55);
  if (canBeOff && /opus|sonnet|haiku/.test(family)) return { thinking: { type: 'disabled' } };
  if (family === 'sonnet') return { thinking: { type: 'between_tools' } };
  return { output_config: { effort: 'low' } };
}

/** There is nothing below `low`, and with 4.6 nothing between `high` and `max`. */
function toEffort(effort: Exclude<ReasoningEffort, 'none'>, { version }: Claude): ClaudeEffort {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && version === 46 ? 'high' : effort;
}

/** The smallest budget for thinking that the API accepts. */
const LEAST_THINKING_TOKENS = 1024;
/** The tokens that remain for the answer itself. */
const LEAST_ANSWER_TOKENS = 256;

/** Older models get a budget for thinking: a share of the tokens that the answer may have. */
const SHARES: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};
