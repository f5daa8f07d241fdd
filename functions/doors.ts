import { streamHandle } from 'hono/aws-lambda';
import { createDoors } from '../src/doors/api/doors.ts';
import { functionContext } from '../src/doors/api/cloud-context.ts';
import { parseTokens, takingTokens } from '../src/doors/api/token-doors.ts';
import { DOOR_TOKENS } from '../src/places/aws/variables.ts';

/** A function lasts for 15 minutes at most, of which an answer needs some to be told why it is incomplete. */
const ANSWER_SECONDS = 14 * 60;

const written = process.env[DOOR_TOKENS];
const tokens = written === undefined ? undefined : parseTokens(written);
const context = {
  ...functionContext(import.meta.dirname, { streams: true, answerSeconds: ANSWER_SECONDS }),
  answerScopes: tokens?.answerScopes,
};
const doors = createDoors(context);

/** Serves clients of OpenAI and of MCP behind a function URL, which hands on answers while they are being written. */
// oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
export const handler = streamHandle(tokens === undefined ? doors : takingTokens(doors, tokens, context));
