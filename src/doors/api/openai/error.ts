import { closingReason } from '../../../core/records/closing-reason.ts';
import { UNDER_WAY, isIn } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import type { Problem } from '../problem.ts';

/** An error, as OpenAI says it. */
export interface OpenAiError {
  message: string;
  type: string;
  /** The parameter that is wrong. */
  param: string | null;
  code: string | null;
}

const CODES: Partial<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'insufficient_quota',
  503: 'environment_paused',
};

export function ofProblem({ status, message, errors }: Problem): OpenAiError {
  return {
    message,
    type: status === 429 ? 'insufficient_quota' : status < 500 ? 'invalid_request_error' : 'server_error',
    param: status === 404 ? 'model' : (errors[0]?.field ?? null),
    code: CODES[status] ?? null,
  };
}

/** @param run one that ended without an answer, or took too long to end */
export function ofRun(run: Run): OpenAiError {
  const { id, status } = run;
  if (isIn(UNDER_WAY, run)) {
    return {
      message: `run "${id}" is still at work, for longer than a request may last; it goes on, and its answer is kept with it`,
      type: 'run_error',
      param: null,
      code: 'run_unfinished',
    };
  }
  return {
    message: `run "${id}" ${status.replace('_', ' ')}: ${closingReason(run)}`,
    type: 'run_error',
    param: null,
    code: `run_${status}`,
  };
}

/**
 * Clients of OpenAI repeat a request that is answered with 408, 409, 429 or 5xx. A run costs too much, and may have
 * done too much, to be repeated unasked.
 */
export const RUN_STATUS = 422;

export function toErrorResponse(
  status: number,
  error: OpenAiError,
  headers: Record<string, string> = {},
): Response {
  // Clients repeat it otherwise, and a limit per day is none of minutes.
  const isFinal = status === 429 && { 'x-should-retry': 'false' };
  return Response.json(
    { error },
    { status, headers: { 'cache-control': 'no-store', ...isFinal, ...headers } },
  );
}
