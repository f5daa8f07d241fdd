import { request, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { messageOf } from '../../../errors.ts';

// Does what Lambda's own runtime for Node.js does, in a container image that has none: takes events from the Runtime
// API one by one, and streams each answer (AWS Lambda, "Using the Lambda runtime API for custom runtimes").

type Handler = (event: unknown, stream: PassThrough, context: object) => Promise<void>;
const Bundle = v.object({ handler: v.custom<Handler>((given) => typeof given === 'function') });

const api = `http://${process.env['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation`;

Object.assign(globalThis, { awslambda: { streamifyResponse: (given: Handler) => given } });
// Beside this file once it is bundled.
const own = new URL('index.mjs', import.meta.url).href;
const { handler } = v.parse(Bundle, await import(own));

for (;;) {
  const event = await answerOf(request(`${api}/next`));
  const { 'lambda-runtime-aws-request-id': id, 'lambda-runtime-deadline-ms': deadline } = event.headers;
  const posted = request(`${api}/${String(id)}/response`, {
    method: 'POST',
    headers: { 'lambda-runtime-function-response-mode': 'streaming' },
  });
  const taken = answerOf(posted, false);
  const stream = new PassThrough();
  const context = { getRemainingTimeInMillis: () => Number(deadline) - Date.now() };
  const written = pipeline(stream, posted);
  await handler(await json(event), stream, context).catch((thrown: unknown) => {
    // None of its answer counts: whoever waits for it is told that it died.
    process.stderr.write(`${messageOf(thrown)}\n`);
    process.exit(1);
  });
  await written;
  (await taken).resume();
}

/** @param isSent whether there is nothing more to send */
function answerOf(sent: ReturnType<typeof request>, isSent = true): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
    if (isSent) sent.end();
  });
}
