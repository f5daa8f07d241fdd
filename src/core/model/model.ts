import type { Attachment, KeptFile } from '../records/attachment.ts';
import type { Takes } from '../attachments/takes.ts';
import type {
  Message,
  ModelResponse,
  OpenAIApi,
  ReasoningEffort,
  ToolDefinition,
  ToolParameters,
} from '../records/message.ts';
import type { Guardrail } from '../records/opened.ts';
import type { Service } from '../../token-usage.ts';
import type { BatchApi } from './batch-api.ts';

/**
 * The model port: one request, one whole answer. Providers translate to and from their wire format in folders of their
 * own; none of a provider's vocabulary leaves its folder, except what `records/message.ts` names.
 */

export interface ModelRequest {
  /** The model's name without the provider: `claude-sonnet-5-5`, not `anthropic/claude-sonnet-5-5`. */
  model: string;
  /** The system prompt; "" for none. */
  system: string;
  messages: Message[];
  /** Tools on offer; where it is empty, no tools key is sent at all. */
  tools: ToolDefinition[];
  /** Absent: not sent. */
  temperature?: number;
  /** Most tokens to answer with; 0 means: not sent (Anthropic requires one and gets 4096). */
  maxTokens: number;
  /** How much to think before answering, in OpenAI's words; absent: not sent. */
  reasoningEffort?: ReasoningEffort;
  /** How it is to be served, where its provider has such a service; absent: as usual. */
  service?: Service;
  /** Whether none of it will be found in a cache again, so that no caching is requested. */
  isUncached?: true;
  /** Which of OpenAI's two APIs to speak; absent: the one that the model wants. Other providers ignore it. */
  api?: OpenAIApi;
  /** False: the answer is asked for whole. */
  stream?: false;
  /**
   * The schema of an answer without calls, as JSON, in a form that every provider takes; absent: any text. A provider
   * does its best: the caller checks the answer.
   */
  outputSchema?: ToolParameters;
  /** A guardrail of Amazon Bedrock for what it reads and says; absent: none. */
  guardrail?: Guardrail;
  /** Whether the model has to call one of the tools; models that cannot be forced may choose. */
  mustCall?: true;
  /** How the model is shown what is attached to the messages; absent: nothing is. */
  showing?: Showing;
  /** The bytes of what it is shown, in base64, by their hashes; absent where they are still to be loaded. */
  files?: ReadonlyMap<string, string>;
}

/** What showing attachments to a model requires. */
export interface Showing {
  takes: Takes;
  /** The most tokens that an attachment comes to. */
  tokensOf(attachment: Attachment): number;
  /** How many are too many for one request: the oldest are left out. */
  leftOut(attachments: readonly Attachment[]): number;
  /** Reads a file of the conversation by its name. @throws {AgentError} for an attachment that is gone */
  read(name: string): Promise<KeptFile | undefined>;
}

/**
 * A piece of an answer as the model writes it. Parts of tool calls and a server's pings carry no text: they only show
 * that the server is at work.
 */
export type Delta = { type: 'text' | 'thinking'; text: string } | { type: 'alive' };

export type OnDelta = (delta: Delta) => void;

export interface Model {
  /**
   * Sends one request and waits for the whole answer.
   * @param signal aborted at the run's deadline (its reason is then a `TimeoutError` DOMException) or when the run is
   *   stopped
   * @param onDelta called with every piece of the answer as it arrives, where the server streams; the answer is the same
   *   with and without it
   * @throws {ModelError} for everything that the API or the way to it can do
   */
  send(request: ModelRequest, signal: AbortSignal, onDelta?: OnDelta): Promise<ModelResponse>;
  /**
   * How many tokens the prompt of a request has, by the provider's count, which is free. Absent if it has no such call.
   * @throws {ModelError} as `send` does, and for models whose tokens the provider does not count
   */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
  /** Opens the provider's batches. Absent where it has none. */
  batches?(): Promise<BatchApi>;
}

/** Finds the model behind `provider/model-name`, with its key. */
export interface Models {
  /** @throws {AgentError} if there is no such provider. @throws {MissingKeyError} if it has no key */
  open(model: string): Promise<{ model: Model; name: string }>;
}
