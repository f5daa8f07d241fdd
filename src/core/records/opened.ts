import type { Service } from '../../token-usage.ts';
import type { Seconds } from './times.ts';
import type { TreeBudget } from './allotment.ts';
import type { WithAttachments } from './attachment.ts';
import type { ToolRules, ToolTarget } from './call.ts';
import type {
  JsonSchema,
  Message,
  OpenAIApi,
  ReasoningEffort,
  ToolDefinition,
  ToolParameters,
} from './message.ts';
import type { Hook } from './hook.ts';
import type { Caps, DelegationLimits } from './plan.ts';
import type { ToolServer } from './tool-server.ts';

/**
 * A conversation as it was opened: the fixed part of all of its requests. Written once, never changed. What is attached
 * belongs to its first message.
 */
export interface Opened extends WithAttachments {
  /** The run at the top of the tree. */
  root: string;
  agent: string;
  /**
   * The digest of everything but its task that shaped it (`src/core/agent-schema/version.ts`); a derived conversation
   * has that of its origin. Absent in records of earlier releases.
   */
  version?: string;
  /**
   * The pack that its tree takes agents from (`src/core/agent-schema/packs.ts`); absent: there was one when it was
   * opened.
   */
  pack?: string;
  model: string;
  system: string;
  /** Its skill, as the agent's file or the caller names it; absent: none. */
  skill?: string;
  /** The skills that its model may load, which its prompt lists; absent: none. */
  skills?: OpenedSkill[];
  /** Those skills that its caller had loaded, whose limits hold for it as well; absent: none. */
  heldTo?: string[];
  /** Paths of the files in it, relative to its workdir; absent: none. */
  files?: string[];
  /** The first user message. */
  message: string;
  /** Where in `message` the input begins, if its sub-agents may read it. */
  inputAt?: number;
  /** Whether its sub-agents read its input, or the one that it was given to read, without its model copying it. */
  sharesInput?: boolean;
  /** The run whose input is appended to the message, by reference; absent: none. */
  inputOf?: string;
  /** The messages before its first, if its client keeps the conversation; absent: none. */
  earlier?: Message[];
  /**
   * The messages between its first message and its own first turn, if it continues a conversation that another run
   * began; absent: none.
   */
  later?: Message[];
  /** The parts of other conversations that it inherits, ahead of its own messages; absent for none. */
  history?: Segment[];
  /** How its model chooses its words; absent: as the provider sets it. */
  sampling?: { temperature: number };
  /** The same in records of earlier releases, where 0 means that none is sent. */
  temperature?: number;
  maxTokens: number;
  reasoningEffort?: ReasoningEffort;
  api?: OpenAIApi;
  /** How its model is to serve it; absent: as usual. */
  service?: Service;
  /** False: answers are asked for whole. */
  stream?: false;
  /** Whether its model sees images, if its agent's file says; absent: judged by the model's name. */
  images?: boolean;
  /** The schema of its answer; absent: any text. */
  output?: OutputSchema;
  tools: ToolDefinition[];
  /** What carries out the calls of tools that are not built in, by the tool's name; absent: there are none. */
  targets?: Record<string, ToolTarget>;
  /** The servers that targets name; absent: none. */
  servers?: Record<string, ToolServer>;
  /** The remote agents that it may call, by name; absent: none. */
  remotes?: Record<string, ToolServer>;
  /** The rules for its tools; absent if it can only delegate. */
  rules?: ToolRules;
  /** The folder that tools act in, relative to where the command runs; absent: that folder. Sub-agents inherit it. */
  workdir?: string;
  /** The same from the root of its place; absent: it may spawn no agent that is told of it. */
  folder?: string;
  /** As in `FileOwner`. */
  owner?: string;
  /** As in `FileOwner`. */
  sharesWorkspace?: true;
  /** Tools of the conversation that this one is derived from, which it may not use; absent: none. */
  withheld?: string[];
  /** Functions that are asked before or after something happens; absent: none. */
  hooks?: Hook[];
  /** A guardrail of Amazon Bedrock for all that its model reads and writes; absent: none. */
  guardrail?: Guardrail;
  delegation: DelegationLimits;
  /** Its own limits; absent if it has none. */
  caps?: Caps;
  /** It ends after this long without a sign of life; absent: silence is no reason to end. */
  quietSeconds?: Seconds;
  /** The limits of the whole tree, as its root has them; absent if it has none. */
  budget?: TreeBudget;
  /** Absent if the agent wants none. */
  retry?: RetryPolicy;
  /** Its agent's rules about the window of its model; absent: none. */
  context?: ContextRules;
  /** The memory that gets the answer, and the number of entries to warn above (0: never); absent if there is none. */
  memory?: {
    name: string;
    maxEntries: number;
    /** The `ownerKey` of whom it belongs to; absent: the account. */
    owner?: string;
  };
  /** The memory that its tools reach, as in `memory`; absent: it has no such tools. */
  memoryTools?: {
    name: string;
    owner?: string;
    /** The model by which it is searched by meaning, too; absent: by words alone. */
    embedding?: string;
  };
  /** The caller's or the agent's setting for the run; 0 if neither has one. */
  timeout: Seconds;
  /** Whether an agent above it has `wait`, by which that agent and its forks may wait for its end; absent: none has. */
  isAwaited?: true;
  /** How many forks lie between it and an agent that is not a fork; absent: it is not a fork. */
  forks?: number;
  /** How long the tree may wait for people in all, at its top; absent: its clock never stands still. */
  patience?: Seconds;
}

/** A skill that a conversation may load. */
export interface OpenedSkill {
  /** That of its folder. */
  name: string;
  /** Its folder, relative to the agents' root; absolute where it lies outside of that. */
  folder: string;
  /** Rules for the calls that may be made once it is loaded; absent: it sets no limit. */
  allowedTools?: string[];
}

/** A guardrail of Amazon Bedrock. */
export interface Guardrail {
  /** Or its ARN. */
  id: string;
  /** A number, or `DRAFT`. */
  version: string;
}

/** Whether the texts of a conversation must be checked before anybody is shown them. */
export function isWithheld(opened: Pick<Opened, 'hooks' | 'guardrail'>): boolean {
  return opened.guardrail !== undefined || hasTextHooks(opened);
}

/** Whether hooks are asked about its texts. */
export function hasTextHooks({ hooks = [] }: Pick<Opened, 'hooks'>): boolean {
  return hooks.some(({ on }) => on === 'before_answer');
}

/** The temperature that a conversation's model is sent; undefined: none. */
export function temperatureOf({
  sampling,
  temperature = 0,
}: Pick<Opened, 'sampling' | 'temperature'>): number | undefined {
  return sampling?.temperature ?? (temperature === 0 ? undefined : temperature);
}

/** The part of a conversation that is opened with this temperature. */
export function samplingOf(temperature: number | undefined): Pick<Opened, 'sampling'> {
  return temperature === undefined ? {} : { sampling: { temperature } };
}

/** The form of an answer that is JSON. */
export interface OutputSchema {
  /** The schema that the answer is checked with. */
  schema: JsonSchema;
  /** The same as far as every provider takes it. */
  parameters: ToolParameters;
}

/** How a conversation is kept within the window of its model. */
export interface ContextRules {
  /** Whether older parts are left out or summarised. */
  compact: boolean;
  /** The window in tokens; absent: as far as it is known of the model. */
  window?: number;
}

/** The conversation of a run as sent for its turn `to`. */
export interface Segment {
  run: string;
  to: number;
  /** Whether that turn's answer is part of it. */
  isAnswered?: true;
}

/** How often and when a request that a model's API failed to answer is sent again. */
export interface RetryPolicy {
  maxRetries: number;
  backoff: 'exponential' | 'linear' | 'fixed';
  initialDelayMs: number;
  maxDelayMs: number;
}
