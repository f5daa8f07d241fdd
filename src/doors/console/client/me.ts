import { storedSession } from './session.ts';
import { claimsOf, textOf } from './sign-in.ts';

/** How records name the reader of this page: by the subject of their token, or as the API where it takes none. */
export function me(): string {
  return textOf(claimsOf(storedSession()?.token ?? ''), 'sub') ?? 'the API';
}
