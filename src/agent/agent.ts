import type * as v from 'valibot';
import type { OpenAIApi, ReasoningEffort } from '../runs/message.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { agentSchema } from './agent-schema.ts';
import { fromSchedule } from './schedule-schema.ts';

/** An agent with every default in place. */
export interface Agent {
  /** As written in the file; runs and `sub_agents` go by the file's name. */
  name: string;
  /** `provider/model-name`; its form is checked when it is used. */
  model: string;
  description: string;
  systemPrompt: string;
  /** Path or name as written; "" for none. */
  skill: string;
  /** Patterns as written. */
  files: string[];
  /** As written; "" for the caller's. */
  workdir: string;
  /** Seconds for a whole run; 0 means the caller's. */
  timeout: number;
  /** Names as written, which may repeat; whether they exist is checked when they are called. */
  subAgents: string[];
  /** Levels of sub-agents that there may be below a run of this agent, 1 to 5. */
  maxDepth: number;
  /** Whether the calls of one answer run at the same time. */
  parallel: boolean;
  /** Seconds for each sub-agent; 0 means what is left of the caller's deadline. */
  subAgentTimeout: number;
  params: {
    /** 0 means: not sent. */
    temperature: number;
    /** 0 means: not sent. */
    maxTokens: number;
    /** Absent: not sent. */
    reasoningEffort?: ReasoningEffort;
    /** Absent: the one that the model takes. */
    api?: OpenAIApi;
  };
  memory: {
    enabled: boolean;
    /** The name of the memory, which agents may share; "" for the agent's own. */
    path: string;
    /** Entries to show; 0 means all. */
    lastN: number;
    /** Entries above which to warn; 0 means never. */
    maxEntries: number;
  };
  retry: {
    maxRetries: number;
    backoff: 'exponential' | 'linear' | 'fixed';
    initialDelayMs: number;
    maxDelayMs: number;
  };
  /** For a run with everything below it; 0 means no limit. */
  budget: {
    maxTokens: number;
    maxUsd: number;
    maxTurns: number;
    maxToolCalls: number;
  };
  /** Absent if the agent runs only when it is asked to. */
  schedule?: Schedule;
}

const DEFAULT_MAX_DEPTH = 3;

export function fromAgentFile(file: v.InferOutput<typeof agentSchema>): Agent {
  const schedule = fromSchedule(file.schedule);
  return {
    name: file.name,
    model: file.model,
    description: file.description,
    systemPrompt: file.system_prompt,
    skill: file.skill,
    files: file.files,
    workdir: file.workdir,
    timeout: file.timeout,
    subAgents: file.sub_agents,
    maxDepth: file.sub_agents_config.max_depth || DEFAULT_MAX_DEPTH,
    parallel: file.sub_agents_config.parallel,
    subAgentTimeout: file.sub_agents_config.timeout,
    params: {
      temperature: file.params.temperature,
      maxTokens: file.params.max_tokens,
      ...(file.params.reasoning_effort !== undefined && { reasoningEffort: file.params.reasoning_effort }),
      ...(file.params.api !== undefined && { api: file.params.api }),
    },
    memory: {
      enabled: file.memory.enabled,
      path: file.memory.path,
      lastN: file.memory.last_n,
      maxEntries: file.memory.max_entries,
    },
    retry: {
      maxRetries: file.retry.max_retries,
      backoff: file.retry.backoff,
      initialDelayMs: file.retry.initial_delay_ms,
      maxDelayMs: file.retry.max_delay_ms,
    },
    budget: {
      maxTokens: file.budget.max_tokens,
      maxUsd: file.budget.max_usd,
      maxTurns: file.budget.max_turns,
      maxToolCalls: file.budget.max_tool_calls,
    },
    ...(schedule !== undefined && { schedule }),
  };
}
