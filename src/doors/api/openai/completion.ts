import { treeReport } from '../../../core/reports/run-report.ts';
import type { EndedRun } from '../attended-run.ts';

/** Completions as OpenAI's "Chat Completions" has them. */

/** The fields that all parts of an answer share. */
export interface Envelope {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
}

export function envelopeOf(run: string, model: string, now: number): Envelope {
  return { id: `chatcmpl-${run}`, created: Math.floor(now / 1000), model };
}

export function toCompletion({ id, created, model }: Envelope, ended: EndedRun) {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: ended.content, refusal: null },
        logprobs: null,
        finish_reason: finishReason(ended),
      },
    ],
    usage: usageOf(ended),
  };
}

/** The use of the run with everything below it. */
export function usageOf({ tree }: EndedRun) {
  const { input_tokens, output_tokens, cache_read_tokens } = treeReport(tree);
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_tokens },
  };
}

export function finishReason({ run, turns }: EndedRun): 'stop' | 'length' | 'content_filter' {
  const stopReason = turns.at(-1)?.answer.stopReason;
  if (run.status === 'budget_exceeded' || stopReason === 'max_tokens') return 'length';
  return stopReason === 'refusal' ? 'content_filter' : 'stop';
}
