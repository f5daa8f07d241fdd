import * as v from 'valibot';
import { parseCallName } from '../src/core/records/call.ts';
import { StoreError, messageOf } from '../src/errors.ts';
import { CLIENT_LIMITS } from '../src/places/aws/client-limits.ts';
import { notifySecrets } from '../src/places/aws/environment-secrets.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { NOTIFY, required } from '../src/places/aws/variables.ts';
import { createNotifier } from '../src/places/notify/notifier.ts';
import { questionsToRemindOf } from '../src/places/notify/reminders.ts';
import { DeployedNotify } from '../src/places/notify/settings.ts';

/** As the stack writes it. */
const Settings = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ settings: v.object(DeployedNotify), base: v.string(), topic: v.optional(v.string()) }),
);

/** The event of the account's bus about a question, and the schedule's. */
const Event = v.union([
  v.object({ detail: v.object({ run_id: v.string(), question_id: v.string() }) }),
  v.object({ remind: v.literal(true) }),
]);

const { settings, base, topic } = v.parse(Settings, required(NOTIFY));
const store = functionStore().runs;
const notify = createNotifier({
  store,
  settings,
  secrets: notifySecrets(),
  base: () => Promise.resolve(base),
  ...(topic !== undefined && { sendMail: (mail) => publish(topic, mail) }),
  now: Date.now,
});

/** Tells people of questions, and reminds them: called by EventBridge, which tries again for hours. */
export async function handler(event: unknown): Promise<void> {
  const input = v.parse(Event, event);
  if ('remind' in input) return remind();
  const { run_id: run, question_id: id } = input.detail;
  const at = parseCallName(id);
  const key = at && { run, ...at };
  const question = key && (await store.question(key));
  // It may have ended before anybody was told, or its run may have.
  if (key === undefined || question === undefined || (await store.answer(key)) !== undefined) return;
  if ((await store.run(run))?.status !== 'running') return;
  const wait = await store.answerWait(key);
  await notify({ question, ...(wait !== undefined && { wait }) }, false);
}

/** @throws {StoreError} of what went wrong, once everybody else has been reminded */
async function remind(): Promise<void> {
  const faults: unknown[] = [];
  for (const open of await questionsToRemindOf(store, Date.now())) {
    await notify(open, true).catch((thrown: unknown) => void faults.push(thrown));
  }
  if (faults.length > 0) throw new StoreError(faults.map(messageOf).join('; '));
}

/** Loaded where mails are sent, and with the first of them. */
async function publish(
  TopicArn: string,
  { subject, text }: { subject: string; text: string },
): Promise<void> {
  const { PublishCommand, SNSClient } = await import('@aws-sdk/client-sns');
  await new SNSClient(CLIENT_LIMITS).send(new PublishCommand({ TopicArn, Subject: subject, Message: text }));
}
