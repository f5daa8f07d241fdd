import type { ModelRequest, ToolDefinition } from '../model.ts';
import { pairCalls, type AnsweredCall, type PairedTurn } from '../pairing.ts';
import type { OpenAIMessage, OpenAIRequest, OpenAITool, OpenAIToolCall } from './wire.ts';

export function toRequest(request: ModelRequest, baseUrl: string): OpenAIRequest {
  const system: OpenAIMessage[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  return {
    model: request.model,
    messages: [...system, ...pairCalls(request.messages).flatMap(toMessages)],
    ...(request.temperature === 0 ? {} : { temperature: request.temperature }),
    ...(request.maxTokens === 0 ? {} : toLimit(request, baseUrl)),
    ...(request.tools.length === 0 ? {} : toToolChoice(request)),
  };
}

function toMessages(turn: PairedTurn): OpenAIMessage[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.calls.length === 0) return [{ role: 'assistant', content: turn.text }];
  return [
    {
      role: 'assistant',
      content: turn.text === '' ? null : turn.text,
      tool_calls: turn.calls.map(toToolCall),
    },
    ...turn.calls.map(({ id, result }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: result.text,
    })),
  ];
}

function toToolCall(call: AnsweredCall): OpenAIToolCall {
  const { id, name } = call;
  return { id, type: 'function', function: { name, arguments: JSON.stringify(call.arguments) } };
}

/** OpenAI's own reasoning models refuse the old name of the limit wherever they are served from. */
function toLimit({ model, maxTokens }: ModelRequest, baseUrl: string) {
  const current = baseUrl.includes('//api.openai.com') || /(^|\/)(gpt-[5-9]|o\d)/.test(model);
  return current ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

/** GPT-5.6 refuses tools unless its reasoning is switched off in so many words. */
function toToolChoice({ model, tools }: ModelRequest): Pick<OpenAIRequest, 'tools' | 'reasoning_effort'> {
  return {
    tools: tools.map(toTool),
    ...(/(^|\/)gpt-5\.6/.test(model) ? { reasoning_effort: 'none' } : {}),
  };
}

function toTool({ name, description, parameters }: ToolDefinition): OpenAITool {
  return { type: 'function', function: { name, description, parameters } };
}
