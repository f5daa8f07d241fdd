import type { ReasoningEffort } from '../../core/records/message.ts';
import { takesTemperature, toThinking, type ThinkingParameters } from '../claude-thinking.ts';
import type { ModelRequest } from '../../core/model/model.ts';

/** The fields that each maker's models take besides the parameters that Converse has for all. */
type ThinkingFields =
  | ThinkingParameters
  | { reasoningConfig: { type: 'disabled' } | { type: 'enabled'; maxReasoningEffort: ThreeLevels } }
  | { reasoning_effort: ThreeLevels };

type ThreeLevels = 'low' | 'medium' | 'high';

/** How much a model is to think, and the parameters that go with it. No temperature, or 0 tokens: not sent. */
export interface Thinking {
  fields: ThinkingFields;
  temperature: number | undefined;
  maxTokens: number;
}

/** The longest answer, thoughts included, of a model that is told how much to think and not how long to answer. */
const DEFAULT_MAX_THINKING = 16_384;

/** @param areLost whether what the model thought before its last calls is not kept */
export function thinkingOf(
  { model, temperature, maxTokens, reasoningEffort: effort }: ModelRequest,
  areLost: boolean,
): Thinking {
  if (effort !== undefined && /amazon\.nova-2/.test(model)) {
    const fields = { reasoningConfig: toReasoningConfig(effort, maxTokens > 0) };
    // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
    const isHigh =
      fields.reasoningConfig.type === 'enabled' && fields.reasoningConfig.maxReasoningEffort === 'high';
    return { fields, temperature: isHigh ? undefined : temperature, maxTokens };
  }
  if (effort !== undefined && /openai\.gpt-oss/.test(model)) {
    return { fields: { reasoning_effort: toThreeLevels(effort) }, temperature, maxTokens };
  }
  const most = maxTokens || DEFAULT_MAX_THINKING;
  const thoughts = { areKept: false, areLost };
  const fields = toThinking(model, { effort, maxTokens: most, thoughts });
  return {
    fields,
    temperature: takesTemperature(model, fields) ? temperature : undefined,
    maxTokens: fields.thinking?.type === 'enabled' ? most : maxTokens,
  };
}

/** At the highest level Nova takes no limit of tokens, and a limit that is set has to hold. */
function toReasoningConfig(effort: ReasoningEffort, isLimited: boolean) {
  if (effort === 'none') return { type: 'disabled' as const };
  const level = toThreeLevels(effort);
  return {
    type: 'enabled' as const,
    maxReasoningEffort: isLimited && level === 'high' ? ('medium' as const) : level,
  };
}

function toThreeLevels(effort: ReasoningEffort): ThreeLevels {
  if (effort === 'none' || effort === 'minimal') return 'low';
  return effort === 'low' || effort === 'medium' ? effort : 'high';
}
