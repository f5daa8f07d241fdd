import * as v from 'valibot';
import type { PersonsAnswer } from '../../../core/lifecycle/answer-question.ts';
import { preview } from '../../../core/records/preview.ts';
import { chosen, type Question } from '../../../core/records/question.ts';
import { ConfigError } from '../../../errors.ts';

/**
 * The meaning of a typed answer to a question: a choice, its number or a text; `approve` may be followed by other
 * arguments of the call, as a JSON object.
 * @throws {ConfigError} for a number that no choice has, and for arguments that are not a JSON object
 */
export function typedAnswer(question: Pick<Question, 'approval' | 'choices'>, typed: string): PersonsAnswer {
  const [, changed] = /^approve\s+(\S.*)$/s.exec(typed.trim()) ?? [];
  if (question.approval === undefined || changed === undefined) return { text: chosen(question, typed) };
  return { text: 'approve', arguments: toArguments(changed, 'what follows "approve"') };
}

const ARGUMENTS = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((given) => !Array.isArray(given)),
  v.record(v.string(), v.unknown()),
);

/**
 * @param what names the text in the error
 * @throws {ConfigError} if it is not a JSON object
 */
export function toArguments(written: string, what: string): Record<string, unknown> {
  const parsed = v.safeParse(ARGUMENTS, written);
  if (parsed.success) return parsed.output;
  throw new ConfigError(
    `${what} must be a JSON object, such as '{"path":"notes.md"}', not ${preview(written)}`,
  );
}
