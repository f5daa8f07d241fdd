import { seconds } from '../core/records/times.ts';
import type { Allowance } from '../core/records/amounts.ts';
import { toNanoUsd } from '../core/records/nano-usd.ts';
import { secondsIn } from '../core/agent-schema/duration.ts';
import type { RunRequest } from '../core/records/request.ts';
import type { Tags } from '../core/records/tags.ts';
import type { ServiceWord } from '../token-usage.ts';
import { NOTHING_GIVEN, type GivenInput } from './given-input.ts';

/** A caller's request, as the command and the package take it. */
export interface AskedRun extends AskedLimits {
  /** The agent's task. */
  prompt?: string | undefined;
  /** Text that the prompt is about: what `cadre run` reads from stdin. */
  input?: string | undefined;
  /** `provider/model-name`. */
  model?: string | undefined;
  skill?: string | undefined;
  /** How models are to serve it: `batch` for half the price, within a day. */
  service?: ServiceWord | undefined;
  /** Where the agent finds its files. */
  workdir?: string | undefined;
  /** Seconds for the whole run. */
  timeout?: number | undefined;
  /** How long the run may wait for people, unless the agent's file says otherwise: seconds, or a text such as "1h". */
  patience?: number | string | undefined;
  /** What to find the run by: `{ customer: 'acme' }`. */
  tags?: Tags | undefined;
}

/** For the run with all its sub-agents, or in addition to what a tree already has. */
export interface AskedLimits {
  /** The most tokens. */
  maxTokens?: number | undefined;
  /** The most dollars. */
  maxUsd?: number | undefined;
}

export function toAllowance({ maxTokens, maxUsd }: AskedLimits): Allowance {
  return {
    ...(maxTokens !== undefined && { tokens: maxTokens }),
    ...(maxUsd !== undefined && { nanoUsd: toNanoUsd(maxUsd) }),
  };
}

/** @param given what is attached to the prompt */
export function toRunRequest(
  agent: string,
  asked: AskedRun,
  { files, texts }: GivenInput = NOTHING_GIVEN,
): RunRequest {
  const { prompt, input = '', model, service, skill, workdir, timeout, patience, tags } = asked;
  return {
    agent,
    ...(prompt !== undefined && { prompt }),
    context: [...(input === '' && texts.length > 0 ? [] : [input]), ...texts].join('\n\n'),
    ...(files.length > 0 && { attachments: files.map(({ attachment }) => attachment) }),
    ...(tags !== undefined && { tags }),
    overrides: {
      ...(model !== undefined && { model }),
      ...(service !== undefined && { service }),
      ...(skill !== undefined && { skill }),
      ...(workdir !== undefined && { workdir }),
      ...(timeout !== undefined && { timeout: seconds(timeout) }),
      ...(patience !== undefined && { patience: secondsIn(patience) }),
      budget: toAllowance(asked),
    },
  };
}
