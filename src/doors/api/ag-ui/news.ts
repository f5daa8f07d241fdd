import { isDeepStrictEqual } from 'node:util';
import type { NewAttachment } from '../../../core/records/attachment.ts';
import type { Mail } from '../../../core/records/mail.ts';
import type { Message } from '../../../core/records/message.ts';
import type { RunRequest } from '../../../core/records/request.ts';
import type { Turn } from '../../../core/records/turn.ts';
import { toEarlier } from '../earlier-messages.ts';
import { Problem } from '../problem.ts';
import type { ClientSaid } from './said.ts';

/** The conversation of a thread as the server has it. */
export interface Kept {
  run: string;
  request: RunRequest | undefined;
  mails: readonly Mail[];
  turns: readonly Turn[];
}

/** A user's message that the run has not been told. */
export interface NewMessage {
  text: string;
  files: NewAttachment[];
  /** As in `PersonsMessage`: the number of the message in its thread. */
  once: string;
}

type Beginning = Pick<RunRequest, 'attachments' | 'earlier' | 'prompt'>;

/** The prompt of a run and the messages before it; undefined where the last word is not a user's. */
export function toBeginning(said: readonly ClientSaid[]): Beginning | undefined {
  const last = said.at(-1);
  if (last?.isPrompt !== true) return undefined;
  const earlier = toEarlier(said.slice(0, -1));
  return {
    prompt: last.text,
    ...(last.attachments !== undefined && { attachments: last.attachments }),
    ...(earlier.length > 0 && { earlier }),
  };
}

/**
 * The users' messages that a run has not been told yet. They have to follow, unchanged, those that the run began with
 * and those written to it since.
 * @returns a problem (409) where the client's messages differ from these
 */
export function newsIn(said: readonly ClientSaid[], kept: Kept): NewMessage[] | Problem {
  const since = said.slice(lengthOfBeginning(said, kept.request));
  if (since.length === said.length)
    return changed('messages', 'differ from those that the thread began with');
  const ids = new Set(since.map(({ id }) => id));
  const reworded = since.find((one) => one.id !== undefined && !isOwnWord(one.id, one.text, ids, kept));
  if (reworded !== undefined)
    return changed(`messages.${reworded.index}`, 'differs from what the agent said');

  const written = new Map(kept.mails.map((mail) => [mail.once, mail]));
  const prompts = since
    .filter(({ isPrompt }) => isPrompt)
    .map((one, nth) => ({ ...one, once: `ag-ui#${nth + 1}` }));
  const other = prompts.find((one) => !isWritten(one, written.get(one.once)));
  if (other !== undefined) return changed(`messages.${other.index}`, 'differs from what the agent was told');
  const told = prompts.findLastIndex(({ once }) => written.has(once)) + 1;
  if (written.has(`ag-ui#${prompts.length + 1}`)) {
    return changed('messages', 'end before what the agent was told last');
  }
  return prompts.slice(told).map(({ text, files, once }) => ({ text, files, once }));
}

/** Whether it was written as the client's copy says. @param mail undefined: it has not been written yet */
function isWritten({ text, attachments }: ClientSaid, mail: Mail | undefined): boolean {
  return mail === undefined || (mail.body === text && isDeepStrictEqual(mail.attachments, attachments));
}

/** How many messages the run was begun with; 0 where it was begun with others. */
function lengthOfBeginning(said: readonly ClientSaid[], request: RunRequest | undefined): number {
  const { prompt, attachments, earlier } = request ?? {};
  const began = {
    prompt,
    ...(attachments !== undefined && { attachments }),
    ...(earlier !== undefined && { earlier }),
  };
  // Each message adds letters, so only one can follow as many as came before the prompt: only that one is compared.
  const wanted = (earlier ?? []).reduce((sum, one) => sum + lettersIn(one), 0);
  let letters = 0;
  const last = said.findIndex((one, index) => {
    const before = letters;
    letters += lettersIn(one);
    return before === wanted && isDeepStrictEqual(toBeginning(said.slice(0, index + 1)), began);
  });
  return last + 1;
}

/** Without blanks, of which more stand between messages that are joined. */
function lettersIn(one: Message | ClientSaid): number {
  return 'text' in one ? one.text.replace(/\s+/g, '').length : 0;
}

/** Whether the agent has said this; a client that left has only the beginning of a text. */
function isOwnWord(id: string, text: string, ids: ReadonlySet<unknown>, { run, turns }: Kept): boolean {
  const turn = id.startsWith(`${run}-t`) ? turns[Number(id.slice(`${run}-t`.length)) - 1] : undefined;
  // The text of an attempt that broke off has the id of its turn, too.
  const isVoid = ids.has(`${id}-again`);
  return turn === undefined || isVoid || turn.answer.text.trim().startsWith(text);
}

function changed(field: string, detail: string): Problem {
  const hint = 'what was said in a thread stays; begin another thread with these messages';
  return new Problem(409, `${field} ${detail}: ${hint}`, [{ field, detail }]);
}
