import * as v from 'valibot';
import type { ModelRequest } from '../../../core/model/model.ts';
import type { ToolDefinition, UserMessage } from '../../../core/records/message.ts';
import { dataUrl, isDocument } from '../../attachments.ts';
import {
  attachedAfter,
  joinUserTurns,
  pairCalls,
  type AnsweredCall,
  type PairedTurn,
} from '../../pairing.ts';
import { idOfNine, MOST_CHARACTERS, shortId } from '../call-ids.ts';
import { isOwnCurrent, toTemperature } from '../model-table.ts';
import { toOutputFormat } from '../output-format.ts';
import { toTier } from '../service-tier.ts';
import {
  keptChat,
  type ChatMessage,
  type ChatCompletionRequest,
  type ChatPart,
  type ChatTool,
  type ChatToolCall,
  type KeptThoughts,
} from './wire.ts';
import { defined } from '../../../defined.ts';

/** @param strictRoles whether the server is as strict as Mistral's: see strict-roles.ts */
export function toRequest(
  request: ModelRequest,
  baseUrl: string,
  strictRoles = false,
): ChatCompletionRequest {
  const server: Server = { baseUrl, strictRoles };
  const system: ChatMessage[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  return {
    model: request.model,
    messages: [
      ...system,
      ...joinUserTurns(attachedAfter(pairCalls(request.messages), strictRoles), strictRoles).flatMap((turn) =>
        toMessages(turn, request, server),
      ),
    ],
    ...toTemperature(request),
    ...(request.maxTokens === 0 ? {} : toLimit(request, baseUrl)),
    ...(request.reasoningEffort === undefined ? {} : { reasoning_effort: request.reasoningEffort }),
    ...toTier(request),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toTool) }),
    ...(request.outputSchema && {
      response_format: { type: 'json_schema', json_schema: toOutputFormat(request.outputSchema) },
    }),
  };
}

interface Server {
  baseUrl: string;
  strictRoles: boolean;
}

function toMessages(turn: PairedTurn, request: ModelRequest, server: Server): ChatMessage[] {
  if (turn.role === 'user') return [{ role: 'user', content: toContent(turn, request) }];
  if (turn.calls.length === 0) return [{ role: 'assistant', content: turn.text }];
  const { extra_content, ...thoughts } = toThoughts(turn.providerContent, request.model);
  const unsigned = isSigning(request.model, server.baseUrl) ? UNSIGNED : undefined;
  const wireId = (id: string) => toWireId(id, request.model, server);
  return [
    {
      role: 'assistant',
      content: turn.text === '' ? null : turn.text,
      ...thoughts,
      tool_calls: turn.calls.map((call, index) =>
        toToolCall(
          { ...call, id: wireId(call.id) },
          extra_content?.[index] ?? (index === 0 ? unsigned : undefined),
        ),
      ),
    },
    ...turn.calls.map(({ id, result }) => ({
      role: 'tool' as const,
      tool_call_id: wireId(id),
      content: result.text,
    })),
  ];
}

function toWireId(id: string, model: string, { baseUrl, strictRoles }: Server): string {
  if (strictRoles) return idOfNine(id);
  return isOpenAI(model, baseUrl) ? shortId(id, MOST_CHARACTERS.chat) : id;
}

/**
 * Whether a model refuses the first call of an answer without a signature, as Gemini does from version 3 on:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
function isSigning(model: string, baseUrl: string): boolean {
  const isGoogle = model.startsWith('gemini-') || /\/\/[^/]*\bgoogleapis\.com/.test(baseUrl);
  return isGoogle && /gemini-(?![12]\b)/.test(model);
}

/** What stands for the signature of a call that another model made, or of which the thoughts are not kept (as above). */
const UNSIGNED = { google: { thought_signature: 'skip_thought_signature_validator' } };

/** https://developers.openai.com/api/docs/api-reference/chat/create */
function toContent({ text, attachments = [] }: UserMessage, request: ModelRequest): string | ChatPart[] {
  if (attachments.length === 0) return text;
  const files = attachments.map((attachment): ChatPart => {
    const url = dataUrl(request, attachment);
    return isDocument(attachment)
      ? { type: 'file', file: { filename: 'document.pdf', file_data: url } }
      : { type: 'image_url', image_url: { url } };
  });
  return [...files, { type: 'text', text }];
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

/** Whether a model is OpenAI's own, behind any server; on Azure, customers choose the names of models. */
function isOpenAI(model: string, baseUrl: string): boolean {
  return /\/\/(api\.openai\.com|[^/]+\.azure\.com)/.test(baseUrl) || isOwnCurrent(model);
}

/** OpenAI's own current models refuse the old name of the limit. */
function toLimit({ model, maxTokens }: ModelRequest, baseUrl: string) {
  return isOpenAI(model, baseUrl) ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function toTool({ name, description, parameters }: ToolDefinition): ChatTool {
  return { type: 'function', function: { name, description, parameters } };
}
