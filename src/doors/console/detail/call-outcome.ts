import type { Call, Result } from './turns.ts';

/** The reasons why calls fail, and their meaning for a reader. */
const FAILURES: Record<NonNullable<Result['failure']>, string> = {
  refused: 'Refused. The model reads why and can try again differently.',
  permission_denied: 'Not permitted: by the rules of the agent, or by a person.',
  timeout: 'Took too long, and was given up.',
  outcome_unknown: 'It is unknown whether it happened. Check before it is done again.',
  fault: 'The tool itself failed.',
};

export interface CallOutcome {
  kind: 'open' | 'failed' | 'done';
  word: string;
  /** The meaning of a failure. */
  explanation?: string;
}

/** How a call ended, or that it has not. */
export function outcomeOf(call: Call, result: Result | undefined, isRunOpen: boolean): CallOutcome {
  if (result === undefined) {
    if (call.approval?.ended_at === null && isRunOpen) return { kind: 'open', word: 'waits for approval' };
    return { kind: 'open', word: isRunOpen ? 'under way' : 'not carried out' };
  }
  if (!result.is_error) return { kind: 'done', word: 'done' };
  const explanation = result.failure === undefined ? undefined : FAILURES[result.failure];
  return { kind: 'failed', word: 'failed', ...(explanation !== undefined && { explanation }) };
}

/** The subject of a call, in one line: an argument that names it, or the first one. */
export function subjectOf({ arguments: given }: Pick<Call, 'arguments'>): string {
  const { path, command, url, agent, question, name } = given;
  const subject = [path, command, url, agent, question, name, ...Object.values(given)].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof subject === 'string' ? subject.slice(0, 120).replace(/\s+/g, ' ') : '';
}
