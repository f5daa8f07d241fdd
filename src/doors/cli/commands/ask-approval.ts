import { parseDecision } from '../../../core/records/approval.ts';
import type { PersonsAnswer } from '../../../core/lifecycle/answer-question.ts';
import type { CallKey } from '../../../core/records/call.ts';
import type { Question } from '../../../core/records/question.ts';
import { wholeApproval } from '../../../core/turn/hooked-question.ts';
import { ConfigError } from '../../../errors.ts';
import { jsonFaultPosition } from '../../../json-fault.ts';
import { editArguments, type EditorPorts } from '../terminal/editor.ts';
import type { LiveTree } from '../terminal/live-tree.ts';
import { jsonLine } from '../terminal/printable.ts';
import type { Prompter } from '../terminal/prompt.ts';
import { toArguments, typedAnswer } from './typed-answer.ts';

/** A call that waits for approval. */
export type AskedApproval = CallKey & Pick<Question, 'approval' | 'choices'>;

/** What is offered beside the decisions. */
export const EDIT = 'edit the arguments';

export interface ApprovalPromptPorts extends EditorPorts {
  records: Parameters<typeof wholeApproval>[1];
  live: Pick<LiveTree, 'above' | 'aside'>;
  prompter: Prompter;
  /** Asks for one more line, which may be empty. @returns undefined if the question is gone */
  askMore(text: string, ifEmpty: string): Promise<string | undefined>;
}

/**
 * The answer to a call that waits for approval. Asks again where more is needed: a reason for a denial, or other
 * arguments from an editor.
 * @param drafts the texts as the editor left them: one that cannot be used is edited further
 * @returns undefined if there is no answer, and the question stays open
 * @throws {ConfigError} if what was typed or edited is not an answer
 */
export async function approvalAnswer(
  asked: AskedApproval,
  typed: string,
  drafts: Map<AskedApproval, string>,
  ports: ApprovalPromptPorts,
): Promise<PersonsAnswer | undefined> {
  const { choices = [], approval } = asked;
  if ([EDIT, 'edit', String(choices.length + 1)].includes(typed.trim())) {
    return withOtherArguments(asked, drafts, ports);
  }
  const given = typedAnswer(asked, typed);
  const decided = parseDecision(given.text);
  if (decided?.decision !== 'deny' || decided.reason !== undefined) return given;
  const reason = await ports.askMore(
    `why not ${approval?.tool ?? ''}? The agent reads the reason`,
    'Enter answers; without a reason, it only denies',
  );
  if (reason === undefined) return undefined;
  return reason === '' ? given : { text: `deny ${reason}` };
}

async function withOtherArguments(
  asked: AskedApproval,
  drafts: Map<AskedApproval, string>,
  { records, live, prompter, ...io }: ApprovalPromptPorts,
): Promise<PersonsAnswer | undefined> {
  // Those of the question are shortened for a list.
  const own = (await wholeApproval(asked, records)) ?? asked.approval?.arguments ?? {};
  const before = `${jsonLine(own, 2)}\n`;
  const edited = () => drafts.get(asked) ?? before;
  const keep = (text: string) => void drafts.set(asked, text);
  prompter.pause();
  try {
    await live.aside(() => editArguments(edited(), keep, io));
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const typing = `type the arguments after "approve"${edited() === before ? '' : '; your text is kept for another try'}`;
    throw new ConfigError(`${thrown.message}; ${typing}`, { cause: thrown });
  } finally {
    prompter.resume();
  }
  if (edited().trim() === before.trim()) {
    live.above('the arguments are as they were; nothing is approved yet\n');
    return undefined;
  }
  const place = jsonFaultPosition(edited());
  if (place !== undefined) {
    throw new ConfigError(
      `the edited text must be a JSON object, and is none at ${place}; choose "${EDIT}" to go on with it`,
    );
  }
  return { text: 'approve', arguments: toArguments(edited(), 'the edited text') };
}
