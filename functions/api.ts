import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { handle } from 'hono/aws-lambda';
import type { Hono } from 'hono/tiny';
import { createApi } from '../src/api/api.ts';
import type { ApiFault } from '../src/api/ports.ts';
import { parseModels } from '../src/api/to-request.ts';
import { BUCKET_PREFIX, ENVIRONMENT, PAGE_FOLDER, PAGE_PATHS, required } from '../src/environment.ts';
import { consoleLink } from '../src/executions/console-link.ts';
import { createStepFunctionsExecutions } from '../src/executions/step-functions.ts';
import { functionStore } from '../src/store/cloud-store.ts';
import { createS3Publisher } from '../src/store/s3/publisher.ts';
import { openPackedAgents } from '../src/workspace/packed-agents.ts';

const lambda = new LambdaClient({});
const { runs } = functionStore();
// Step Functions does, and tells `settle` of every end.
const isCarriedOut = async () => true;

const api = createApi({
  runs,
  isCarriedOut,
  async *look(top, signal, from) {
    const { CLOUD_POLL_MS: pollMs, pollTree } = await import('../src/events/poll.ts');
    yield* pollTree(top, { store: runs, isCarriedOut, pollMs }, signal, from);
  },
  // An HTTP API hands on whole answers only.
  streams: false,
  source: openPackedAgents(import.meta.dirname),
  executions: createStepFunctionsExecutions(new SFNClient({}), required(ENVIRONMENT.stateMachine)),
  models: parseModels(process.env[ENVIRONMENT.apiModels]),
  publish: createS3Publisher({
    client: new S3Client({}),
    bucket: required(ENVIRONMENT.bucket),
    prefix: BUCKET_PREFIX.runs,
    now: Date.now,
  }),
  wakeAsker: ({ run, turn, call }) => reachAgents({ answered: { run, turn, call } }),
  async send(message) {
    const { leaveMessage } = await import('../src/residents/leave-message.ts');
    await leaveMessage(message, { store: runs, now: Date.now });
    await reachAgents({ written: { run: message.run } });
  },
  async kill(run) {
    const { assertKillable } = await import('../src/residents/assert-killable.ts');
    assertKillable(run);
    await reachAgents({ kill: { run: run.id } });
  },
  link: consoleLink,
  now: Date.now,
  log: writeFault,
});

/** Only the control function starts agents again and wakes executions. */
async function reachAgents(event: object): Promise<void> {
  const Payload = JSON.stringify(event);
  const FunctionName = required(ENVIRONMENT.control);
  await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
}

const signIn = process.env[ENVIRONMENT.signIn];
if (signIn) {
  let page: Promise<Hono> | undefined;
  const loadPage = async () => {
    const { createSignedInPage } = await import('../src/api/signed-in-page.ts');
    return createSignedInPage(signIn, join(import.meta.dirname, PAGE_FOLDER));
  };
  api.on('GET', [...PAGE_PATHS], async (c) => (await (page ??= loadPage())).fetch(c.req.raw));
}

/** Serves the HTTP API, and the page where people sign in to it. */
// oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
export const handler = handle(api);

/** Writes what a client does not see, as one line of JSON. */
function writeFault({ id, method, path, thrown }: ApiFault): void {
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const timestamp = new Date().toISOString();
  process.stdout.write(
    `${JSON.stringify({ level: 'ERROR', timestamp, id, method, path, name, message, stack })}\n`,
  );
}
