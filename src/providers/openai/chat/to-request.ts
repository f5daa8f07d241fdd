import * as v from 'valibot';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { ToolDefinition } from '../../../core/records/message.ts';
import { joinUserTurns, pairCalls, type AnsweredCall, type PairedTurn } from '../../pairing.ts';
import { isOwnCurrent, toTemperature } from '../model-table.ts';
import { toOutputFormat } from '../output-format.ts';
import {
  keptChat,
  type ChatMessage,
  type ChatCompletionRequest,
  type ChatTool,
  type ChatToolCall,
  type KeptThoughts,
} from './wire.ts';
import { defined } from '../../../defined.ts';

/** @param strictRoles whether the server refuses a user's message after the results of tools */
export function toRequest(
  request: ModelRequest,
  baseUrl: string,
  strictRoles = false,
): ChatCompletionRequest {
  const system: ChatMessage[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  return {
    model: request.model,
    messages: [
      ...system,
      ...joinUserTurns(pairCalls(request.messages), strictRoles).flatMap((turn) =>
        toMessages(turn, request.model),
      ),
    ],
    ...toTemperature(request),
    ...(request.maxTokens === 0 ? {} : toLimit(request, baseUrl)),
    ...(request.reasoningEffort === undefined ? {} : { reasoning_effort: request.reasoningEffort }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toTool) }),
    ...(request.outputSchema && {
      response_format: { type: 'json_schema', json_schema: toOutputFormat(request.outputSchema) },
    }),
  };
}

function toMessages(turn: PairedTurn, model: string): ChatMessage[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.calls.length === 0) return [{ role: 'assistant', content: turn.text }];
  const { extra_content, ...thoughts } = toThoughts(turn.providerContent, model);
  return [
    {
      role: 'assistant',
      content: turn.text === '' ? null : turn.text,
      ...thoughts,
      tool_calls: turn.calls.map((call, index) => toToolCall(call, extra_content?.[index] ?? undefined)),
    },
    ...turn.calls.map(({ id, result }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: result.text,
    })),
  ];
}

/** The same model's thoughts before its calls. */
function toThoughts(providerContent: unknown, model: string): KeptThoughts & { extra_content?: unknown[] } {
  const kept = v.safeParse(keptChat, providerContent);
  if (!kept.success || kept.output.model !== model) return {};
  const { wire: _, model: __, ...thoughts } = kept.output;
  return thoughts;
}

function toToolCall(call: AnsweredCall, extra_content: unknown): ChatToolCall {
  const { id, name } = call;
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(call.arguments) },
    ...defined({ extra_content }),
  };
}

/**
 * OpenAI's own current models refuse the old name of the limit from any server; on Azure, customers choose the names of
 * models.
 */
function toLimit({ model, maxTokens }: ModelRequest, baseUrl: string) {
  const current = /\/\/(api\.openai\.com|[^/]+\.azure\.com)/.test(baseUrl) || isOwnCurrent(model);
  return current ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function toTool({ name, description, parameters }: ToolDefinition): ChatTool {
  return { type: 'function', function: { name, description, parameters } };
}
