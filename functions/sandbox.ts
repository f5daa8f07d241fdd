import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { openSandbox } from '../src/places/aws/sandbox/sandbox.ts';
import { type SandboxNews, SandboxRequest } from '../src/places/aws/sandbox/protocol.ts';

/** Time to hand over the answer, before Lambda ends the function without a word. */
const MARGIN_SECONDS = 5;

// A command could have Node.js open its debugger, by which it would be this process.
process.on('SIGUSR1', () => {});

const run = openSandbox({
  base: join(tmpdir(), 'cadre'),
  path: process.env['PATH'],
  // Of the variables that Lambda sets in every environment of its own.
  isAlone: process.env['AWS_LAMBDA_INITIALIZATION_TYPE'] !== undefined,
});

/** Runs one command of an agent, and streams a line of JSON for each piece of news. */
export const handler = awslambda.streamifyResponse(async (event, stream, context) => {
  const say = (news: SandboxNews) => void stream.write(`${JSON.stringify(news)}\n`);
  const secondsLeft = context.getRemainingTimeInMillis() / 1_000 - MARGIN_SECONDS;
  say(await run(v.parse(SandboxRequest, event), { secondsLeft, tell: (output) => say({ output }) }));
  stream.end();
});
