import type { Json } from '../../json.ts';
import type { TokenUsage } from '../../token-usage.ts';
import type { Said } from './attachment.ts';

/**
 * The parts that conversations are made of, in no provider's vocabulary; only `rawStopReason`, which people read, and
 * `providerContent`, which that provider reads, are as a provider sent them.
 */

/** A tool as a model sees it. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: ToolParameters;
  /** Set if the model's provider carries out the tool itself: no call of it arrives here. */
  byProvider?: true;
}

/** JSON Schema of a tool's arguments, with any keywords that the tool's author chose. */
export type ToolParameters = { type: 'object'; required?: string[]; [keyword: string]: Json };

/** JSON Schema 2020-12 of an object, as its author wrote it. */
export type JsonSchema = { type: 'object'; [keyword: string]: Json };

/** A built-in tool, whose parameters use only what every provider accepts. */
export interface BuiltInDefinition extends ToolDefinition {
  parameters: ObjectSchema;
}

/** The part of JSON Schema that every provider accepts for a tool's arguments. */
export type ObjectSchema = {
  type: 'object';
  properties: Record<string, PropertySchema>;
  required: string[];
};

export type PropertySchema = {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  description?: string;
  enum?: string[];
  items?: PropertySchema;
  properties?: Record<string, PropertySchema>;
  required?: string[];
};

/** One tool call of an answer. */
export interface ToolCall {
  /** The provider's id, or one made up in its place; unique within its answer only. */
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The answer ended in the middle of this call, or its arguments are no JSON object: it is not carried out. */
  cut?: true;
}

/** The result of a tool call, in words for the model. */
export interface ToolResult extends Said {
  callId: string;
  /** The tool's name, which some wire formats want as well as the id. */
  name: string;
  isError: boolean;
  /** Where in the workdir the model can read the whole of what `text` is a part of; absent: nowhere. */
  whole?: string;
  /** The skill whose instructions `text` is; absent: there is none. */
  skill?: string;
  /** As in `CallResult`. */
  nanoUsd?: number;
  /** Set if a computed conversation asked for it, which reads no sentences. */
  spawned?: SpawnedResult;
}

/** How a sub-agent ended that `spawn_agent` started: a limit that it reached is a normal end. */
export interface SpawnedResult {
  status: 'completed' | 'budget_exceeded' | 'timeout' | 'error';
  toolCalls: number;
  durationMs: number;
}

/** One message of a conversation. Every call of an assistant message is answered by the `tool` message after it. */
export type Message =
  | UserMessage
  | { role: 'assistant'; text: string; calls: ToolCall[]; providerContent?: unknown }
  | { role: 'tool'; results: ToolResult[] };

/** What a person or another agent says. */
export interface UserMessage extends Said {
  role: 'user';
  /** Those that were loaded in the messages that it stands for; absent: none. */
  skills?: LoadedSkill[];
}

export function resultsIn(messages: readonly Message[]): ToolResult[] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
}

/** What the calls whose results are among messages have cost by themselves, in billionths of a dollar. */
export function costOfCalls(messages: readonly Message[]): number {
  return resultsIn(messages).reduce((sum, { nanoUsd = 0 }) => sum + nanoUsd, 0);
}

/** A skill with its instructions, as a model was given them. */
export interface LoadedSkill {
  name: string;
  text: string;
}

/** As OpenAI has them; which of them a model takes differs: https://developers.openai.com/api/docs/guides/reasoning */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** Chat Completions, which many other servers speak too, and Responses. */
export const OPENAI_APIS = ['chat', 'responses'] as const;
export type OpenAIApi = (typeof OPENAI_APIS)[number];

/** Why a model stopped. `other` stands for reasons that are unknown here; see `rawStopReason`. */
export type StopReason = 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'other';

export interface ModelResponse {
  text: string;
  calls: ToolCall[];
  stopReason: StopReason;
  /** The provider's own word for it; "" where it gave none. */
  rawStopReason: string;
  usage: TokenUsage;
  /**
   * The answer as the provider wants it back, if it has more than text and calls. Plain JSON, which is not read here
   * and goes back to the same provider unchanged.
   */
  providerContent?: unknown;
  /** The pages that it cites, each once; absent: none. */
  sources?: Source[];
}

/** A page that an answer rests on. All of it is foreign text. */
export interface Source {
  title: string;
  /** With http or https. */
  url: string;
}
