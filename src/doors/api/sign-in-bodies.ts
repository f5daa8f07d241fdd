import * as v from 'valibot';
import { only } from './request.ts';

const MAX_SENT_CHARACTERS = 10_000;

/** What a person's browser came back with from an authorization server (RFC 6749, 4.1.2; RFC 9207). */
export const CameBack = only({
  state: sent('As it was sent there.'),
  code: v.exactOptional(sent('What tokens are given for.')),
  iss: v.exactOptional(sent('The issuer that says that it is from it.')),
  error: v.exactOptional(sent('Why there is none.')),
  error_description: v.exactOptional(sent('The same, in words.')),
});

function sent(description: string) {
  return v.pipe(
    v.string('must be a string'),
    v.maxLength(MAX_SENT_CHARACTERS, `must have at most ${MAX_SENT_CHARACTERS} characters`),
    v.description(description),
  );
}
