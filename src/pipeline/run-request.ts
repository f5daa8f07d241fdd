import type { RunRequest } from '../runs/run.ts';

/** What a caller asks for, as the command and the package take it. */
export interface Asked {
  prompt?: string | undefined;
  /** Text that the prompt is about. */
  input?: string | undefined;
  model?: string | undefined;
  skill?: string | undefined;
  workdir?: string | undefined;
  /** Seconds, as is `patience`. */
  timeout?: number | undefined;
  patience?: number | undefined;
  /** For the run with all its sub-agents, as is `maxUsd`. */
  maxTokens?: number | undefined;
  maxUsd?: number | undefined;
}

export function toRunRequest(agent: string, asked: Asked): RunRequest {
  const { prompt, input = '', model, skill, workdir, timeout, patience, maxTokens, maxUsd } = asked;
  return {
    agent,
    ...(prompt !== undefined && { prompt }),
    context: input,
    overrides: {
      ...(model !== undefined && { model }),
      ...(skill !== undefined && { skill }),
      ...(workdir !== undefined && { workdir }),
      ...(timeout !== undefined && { timeout }),
      ...(patience !== undefined && { patience }),
      budget: {
        ...(maxTokens !== undefined && { tokens: maxTokens }),
        ...(maxUsd !== undefined && { nanoUsd: Math.round(maxUsd * 1e9) }),
      },
    },
  };
}
