import type {
  ContentBlock,
  ConverseCommandInput,
  CountTokensCommandInput,
  InferenceConfiguration,
  Message,
  SystemContentBlock,
  Tool,
  ToolConfiguration,
  ToolResultBlock,
  ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime';
import { dataOf } from '../attachments.ts';
import { breakpoints } from '../breakpoints.ts';
import { takesToolChoice } from '../claude-thinking.ts';
import { closedSchema } from '../closed-schema.ts';
import { thoughtsIn, toBlocks, type AnswerBlock, type KeptBy } from '../kept-blocks.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { Attachment } from '../../core/records/attachment.ts';
import type { ToolDefinition } from '../../core/records/message.ts';
import { attachedAfter, isBlank, pairCalls, type AnsweredCall, type PairedTurn } from '../pairing.ts';
import { thinkingOf, type Thinking } from './thinking.ts';
import { defined } from '../../defined.ts';

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 *
 * A cache supplies the part that stays the same from one request of a conversation to the next, where the model has
 * one: see `breakpoints.ts`. The cached part begins with the tools, so a point after the system prompt covers them too.
 */
export function toRequest(request: ModelRequest): ConverseCommandInput {
  const turns = pairCalls(request.messages, toWireId);
  const tools = toTools(request.tools, turns);
  const by: KeptBy = { wire: 'bedrock', model: request.model };
  const messages = toMessages(attachedAfter(turns), by, request);
  const thinking = thinkingOf(request, thoughtsIn(turns, by).areLost);
  const hasFields = Object.keys(thinking.fields).length > 0;
  const ends = takesCachePoints(request.model) ? breakpoints(messages, request) : new Set();
  return {
    modelId: request.model,
    messages: messages.map((message) =>
      ends.has(message) ? { ...message, content: [...(message.content ?? []), CACHE_POINT] } : message,
    ),
    ...(isBlank(request.system) ? {} : { system: toSystem(request) }),
    ...toInferenceConfig(thinking),
    ...(hasFields && { additionalModelRequestFields: toDocument(thinking.fields) }),
    ...(tools.length === 0 ? {} : { toolConfig: { tools, ...toToolChoice(request, thinking) } }),
    ...toOutputConfig(request),
    ...toGuardrailConfig(request),
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use-converse-api.html */
function toGuardrailConfig({ guardrail }: ModelRequest): Pick<ConverseCommandInput, 'guardrailConfig'> {
  if (guardrail === undefined) return {};
  // Without the trace, an answer of which a part is masked cannot be told from one that is blocked.
  return {
    guardrailConfig: {
      guardrailIdentifier: guardrail.id,
      guardrailVersion: guardrail.version,
      trace: 'enabled',
    },
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html */
function toOutputConfig({ outputSchema }: ModelRequest): Pick<ConverseCommandInput, 'outputConfig'> {
  const closed = outputSchema && closedSchema(outputSchema);
  if (closed === undefined) return {};
  const jsonSchema = { name: 'answer', schema: JSON.stringify(closed.schema) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

/**
 * Other models than these refuse the field:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
 */
function toToolChoice(
  { model, mustCall }: ModelRequest,
  { fields }: Thinking,
): Pick<ToolConfiguration, 'toolChoice'> {
  const takesIt = model.includes('amazon.nova')
    ? Object.keys(fields).length === 0
    : model.includes('anthropic.claude') && takesToolChoice(model, 'thinking' in fields ? fields : {});
  return mustCall === true && takesIt ? { toolChoice: { any: {} } } : {};
}

/**
 * Counting takes the request without the parameters of the answer, and models by their own names, not those of
 * inference profiles: https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html
 */
export function toCountRequest(request: ModelRequest): CountTokensCommandInput {
  const {
    modelId = '',
    inferenceConfig: _,
    outputConfig: __,
    guardrailConfig: ___,
    ...converse
  } = toRequest(request);
  return { modelId: modelId.replace(PROFILE, ''), input: { converse } };
}

const PROFILE = /^(global|[a-z]{2}(-gov)?|apac)\./;

const CACHE_POINT = { cachePoint: { type: 'default' } } as const;

/**
 * Claude from 3.5 Haiku on and the first Nova models take cache points, in system and messages; for other models a
 * request with one is refused: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
function takesCachePoints(model: string): boolean {
  return /anthropic\.claude-(3-5-haiku|3-7-|[a-z]+-\d)|amazon\.nova-(micro|lite|pro|premier)-v1/.test(model);
}

function toSystem({ model, system }: ModelRequest): SystemContentBlock[] {
  return [{ text: system }, ...(takesCachePoints(model) ? [CACHE_POINT] : [])];
}

/** Roles take turns, and results come first in the user message after their calls: as with Anthropic's own API. */
function toMessages(turns: readonly PairedTurn[], by: KeptBy, request: ModelRequest): Message[] {
  const messages: Message[] = [];
  let documents = 0;
  const toFile = (attachment: Attachment): ContentBlock => {
    const source = { bytes: Buffer.from(dataOf(request, attachment), 'base64') };
    const { type } = attachment;
    if (type !== 'application/pdf') return { image: { format: FORMATS[type], source } };
    documents += 1;
    // No two of a request may have the same name, which the model reads.
    return { document: { format: 'pdf', name: `document ${documents}`, source } };
  };
  for (const turn of turns) {
    if (turn.role === 'user') {
      addUserContent(messages, [...(turn.attachments ?? []).map(toFile), { text: turn.text }]);
      continue;
    }
    messages.push({ role: 'assistant', content: toBlocks(turn, by).map(toContent) });
    if (turn.calls.length > 0) {
      addUserContent(
        messages,
        turn.calls.map((call) => ({ toolResult: toToolResult(call, by.model) })),
      );
    }
  }
  return messages;
}

const FORMATS = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const;

function addUserContent(messages: Message[], content: ContentBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user') last.content = [...(last.content ?? []), ...content];
  else messages.push({ role: 'user', content });
}

function toContent(block: AnswerBlock): ContentBlock {
  switch (block.type) {
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: block.text, signature: block.signature } } };
    case 'redacted':
      return { reasoningContent: { redactedContent: Buffer.from(block.data, 'base64') } };
    case 'call':
      return toToolUse(block.call);
    case 'text':
      return { text: block.text };
    case 'raw':
      throw new Error('Bedrock has no search whose blocks could have been kept');
  }
}

function toToolUse(call: AnsweredCall): ContentBlock {
  return {
    toolUse: {
      toolUseId: call.id,
      name: call.name,
      input: toDocument(call.arguments),
    },
  };
}

function toToolResult({ id, result }: AnsweredCall, model: string): ToolResultBlock {
  return {
    toolUseId: id,
    content: [{ text: result.text }],
    ...(takesStatus(model) && { status: result.isError ? 'error' : 'success' }),
  };
}

/** Other models refuse the field ("ToolResultBlock"); for them the text of a result says that it is an error. */
function takesStatus(model: string): boolean {
  return /anthropic\.claude|amazon\.nova/.test(model);
}

function toInferenceConfig({
  temperature,
  maxTokens,
}: Thinking): Pick<ConverseCommandInput, 'inferenceConfig'> {
  const inferenceConfig: InferenceConfiguration = {
    ...defined({ temperature }),
    ...(maxTokens > 0 && { maxTokens }),
  };
  return Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig };
}

/**
 * A conversation that holds calls is refused without `toolConfig`, even where no tool is on offer; then the tools that
 * were called stand in it by their names.
 */
function toTools(offered: readonly ToolDefinition[], turns: readonly PairedTurn[]): Tool[] {
  if (offered.length > 0) {
    return offered.map(({ name, description, parameters }) => ({
      toolSpec: {
        name,
        ...(!isBlank(description) && { description }),
        inputSchema: { json: toDocument(parameters) },
      },
    }));
  }
  const called = new Set(
    turns.flatMap((turn) => (turn.role === 'user' ? [] : turn.calls.map(({ name }) => name))),
  );
  return [...called].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } }));
}

/** JSON as the SDK has it. */
type Document = Exclude<ToolUseBlock['input'], undefined>;

function toDocument(value: unknown): Document {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toDocument);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toDocument(inner)]));
}

/** Ids are 1 to 64 of these characters; four are left to tell ids apart that were used before. */
function toWireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 60) || 'call';
}
