import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { BUCKET_PREFIX, ENVIRONMENT, required } from '../../places/aws/variables.ts';
import { consoleLink } from '../../places/aws/console-link.ts';
import { createStepFunctionsExecutions } from '../../places/aws/step-functions.ts';
import { functionStore } from '../../places/aws/store/cloud-store.ts';
import { createS3Publisher } from '../../places/aws/store/s3/publisher.ts';
import { openPackedAgents } from '../../authoring/loading/folders/packed-agents.ts';
import type { Follow } from '../../places/follow/follow.ts';
import type { ApiFault, ApiPorts } from './ports.ts';
import { parseModels } from './to-request.ts';

/**
 * The ports of a deployed environment's doors, from the variables of their function.
 * @param folder absolute: where its agents are packed
 * @param streams as in `ApiPorts`
 */
export function cloudPorts(folder: string, streams: boolean): ApiPorts {
  const lambda = new LambdaClient({});
  const { runs } = functionStore();
  // Step Functions does, and tells `settle` of every end.
  const isCarriedOut = async () => true;
  const executions = createStepFunctionsExecutions(new SFNClient({}), required(ENVIRONMENT.stateMachine));

  /** Loaded late: most requests follow nothing. */
  async function following(): Promise<Follow> {
    const [{ createFollow }, { CLOUD_POLL_MS: pollMs }] = await Promise.all([
      import('../../places/follow/follow.ts'),
      import('../../places/follow/view.ts'),
    ]);
    return createFollow({ store: runs, isCarriedOut, pollMs });
  }

  /** Only the control function starts agents again and wakes executions. */
  async function reachAgents(event: object): Promise<void> {
    const Payload = JSON.stringify(event);
    const FunctionName = required(ENVIRONMENT.control);
    await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  }

  return {
    runs,
    isCarriedOut,
    async *follow(run, options) {
      yield* (await following()).follow(run, options);
    },
    async *look(run, signal) {
      yield* (await following()).look(run, signal);
    },
    told: async (run) => (await following()).told(run),
    streams,
    source: openPackedAgents(folder),
    executions,
    models: parseModels(process.env[ENVIRONMENT.apiModels]),
    publish: createS3Publisher({
      client: new S3Client({}),
      bucket: required(ENVIRONMENT.bucket),
      prefix: BUCKET_PREFIX.runs,
      now: Date.now,
    }),
    wakeAsker: ({ run, turn, call }) => reachAgents({ answered: { run, turn, call } }),
    async send(message) {
      const { leaveMessage } = await import('../../core/lifecycle/leave-message.ts');
      await leaveMessage(message, { store: runs, now: Date.now });
      await reachAgents({ written: { run: message.run } });
    },
    async kill(run) {
      const { assertKillable } = await import('../../core/lifecycle/assert-killable.ts');
      assertKillable(run);
      await reachAgents({ kill: { run: run.id } });
    },
    async resume(run, timeout) {
      const { resumeRun } = await import('../../core/lifecycle/resume.ts');
      return resumeRun(run, timeout, { store: runs, executions, now: Date.now });
    },
    link: consoleLink,
    now: Date.now,
    log: writeFault,
  };
}

/** Writes what a client does not see, as one line of JSON. */
function writeFault({ id, method, path, thrown }: ApiFault): void {
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const timestamp = new Date().toISOString();
  process.stdout.write(
    `${JSON.stringify({ level: 'ERROR', timestamp, id, method, path, name, message, stack })}\n`,
  );
}
