import { DECISIONS, type Answer, type Decision } from './question.ts';

/**
 * Approvals: questions whether a call may be made. The answer is the only permission for such a call: the machine
 * continues after it, and the function that carries out the call looks it up again.
 */

/** That every call of a tool is approved for the rest of a run. */
export type StandingApproval = Pick<Answer, 'by' | 'at'>;

/** @returns undefined if the text is no decision */
export function parseDecision(text: string): { decision: Decision; reason?: string } | undefined {
  const [, word = '', rest = ''] = /^(approve|deny|always)(?![\w-])[\s:,]*(.*)$/is.exec(text.trim()) ?? [];
  const decision = DECISIONS.find((each) => each === word.toLowerCase());
  if (decision === undefined || (decision !== 'deny' && rest !== '')) return undefined;
  return { decision, ...(rest !== '' && { reason: rest }) };
}

/** Whether a call may be made after this end of its approval; without an answer in time it is denied. */
export function isApproved(answer: Answer | undefined): boolean {
  return answer?.decision === 'approve' || answer?.decision === 'always';
}

/** The result of a call that was not approved, as the model reads it. */
export function denialText(tool: string, { decision, reason }: Partial<Answer>): string {
  const denied = `Permission denied: "${tool}"`;
  if (decision !== 'deny') return `${denied} needs approval and nobody gave it in time.`;
  return reason === undefined
    ? `${denied} was denied by the user.`
    : `${denied} was denied by the user: ${reason}`;
}

/**
 * The first lines of the result of a call whose arguments were changed; "" where nothing is different.
 * @param by who changed them
 */
export function changesText(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  by = 'the user',
): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = names.flatMap((name) => {
    const [old, now] = [before, after].map((given) =>
      Object.hasOwn(given, name) ? JSON.stringify(given[name]) : '',
    );
    return old === now ? [] : [`${name}: ${quoted(old)} → ${quoted(now)}`];
  });
  return changes.length === 0 ? '' : `[arguments changed by ${by}: ${changes.join('; ')}]\n\n`;
}

const QUOTED_CHARACTERS = 200;

function quoted(json = ''): string {
  if (json === '') return '(none)';
  if (json.length <= QUOTED_CHARACTERS) return json;
  return `${json.slice(0, QUOTED_CHARACTERS).toWellFormed()}… (${json.length} characters)`;
}

/** Lists of questions show arguments up to this size as JSON, and shorten longer texts in them to the other. */
const SHOWN_CHARACTERS = 20_000;
const SHOWN_TEXT_CHARACTERS = 2_000;

/** The arguments of a call for the person who approves it: omissions are marked, with the place to read the whole. */
export function shownArguments(given: Record<string, unknown>): Record<string, unknown> {
  if (JSON.stringify(given).length <= SHOWN_CHARACTERS) return given;
  const cut = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, shownValue(value)]));
  const { length } = JSON.stringify(cut);
  return length <= SHOWN_CHARACTERS ? cut : { '…': `${length} characters; see: cadre show <run> --messages` };
}

function shownValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= SHOWN_TEXT_CHARACTERS) return value;
  const left = text.length - SHOWN_TEXT_CHARACTERS;
  return `${text.slice(0, SHOWN_TEXT_CHARACTERS).toWellFormed()}… [${left} characters left out]`;
}
