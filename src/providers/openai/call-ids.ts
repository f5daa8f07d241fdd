import { createHash } from 'node:crypto';

/**
 * Ids of calls as servers take them: those of other servers, with which a conversation began, may be longer, or of another
 * form. Ones that a server has made itself stay as they are.
 */

/** The most characters of an id: "string too long. Expected a string with maximum length 40". */
export const MOST_CHARACTERS = { chat: 40, responses: 64 } as const;

export function shortId(id: string, most: number): string {
  return id.length > 0 && id.length <= most ? id : `call_${digestOf(id).slice(0, 32)}`;
}

/** "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9", as Mistral and its templates have it. */
export function idOfNine(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : digestOf(id).slice(0, 9);
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
