import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreError, messageOf } from '../../errors.ts';
import { callName } from '../../core/records/call.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { UnansweredQuestion } from '../../core/records/question.ts';
import { fillIn, type Secrets } from '../../core/records/secrets.ts';
import { defined } from '../../defined.ts';
import { notificationOf, type Notification } from '../../core/reports/notification.ts';
import { createAnswerLink } from './answer-links.ts';
import type { NotifySettings } from './settings.ts';
import { slackMessage } from './slack.ts';
import { mailOf } from './words.ts';

export interface NotifierPorts {
  store: Pick<RunStore, 'bind' | 'bound' | 'run'>;
  settings: NotifySettings;
  secrets: Secrets;
  /** The address of the server that shows runs and takes answers; undefined while there is none. */
  base: () => Promise<string | undefined>;
  /** Sends an e-mail; absent where none can be sent. */
  sendMail?: (mail: { subject: string; text: string }) => Promise<void>;
  /** In milliseconds since 1970. */
  now: () => number;
}

/**
 * Tells people of a question, in every configured way.
 * @throws {StoreError} that names the ways that failed; the others have been used, and a repetition does not use them
 *   again
 */
export type Notify = (open: UnansweredQuestion, isReminder: boolean) => Promise<void>;

/** One way to tell people, with the settings that it needs and their secrets filled in. */
interface Way {
  needs: Readonly<Record<string, string>>;
  send(sent: Readonly<Record<string, string>>, notification: Notification, task: string): Promise<void>;
}

export function createNotifier(ports: NotifierPorts): Notify {
  const { store, settings, secrets } = ports;
  const ways = Object.entries(waysOf(ports));

  /** @returns what went wrong, if anything did */
  async function tell(name: string, way: Way, open: UnansweredQuestion, isReminder: boolean) {
    const { question, wait } = open;
    const told = `told by ${name} of ${question.run} ${callName(question)} ${isReminder} ${wait?.until ?? ''}`;
    if ((await store.bound(told)) !== undefined) return undefined;
    let redact = (text: string) => text;
    try {
      const filled = await fillIn(way.needs, 'notify', secrets);
      ({ redact } = filled);
      const base = settings.url ?? (await ports.base());
      const links = base === undefined ? undefined : await linksOf(base, open, store);
      const task = (await store.run(question.root))?.task ?? '';
      await way.send(filled.sent, notificationOf(open, { isReminder, links }), task);
    } catch (thrown) {
      return redact(`${name}: ${messageOf(thrown)}`);
    }
    await store.bind(told, { run: question.run, digest: callName(question) });
    return undefined;
  }

  return async (open, isReminder) => {
    const told = await Promise.all(ways.map(([name, way]) => tell(name, way, open, isReminder)));
    const faults = told.filter((fault) => fault !== undefined);
    if (faults.length === 0) return;
    const what = `question ${callName(open.question)} of run "${open.question.run}"`;
    throw new StoreError(`people were not told of ${what}: ${faults.join('; ')}`);
  };
}

function waysOf({ settings, sendMail, now }: NotifierPorts): Record<string, Way> {
  const { webhook, secret, slack, mail } = settings;
  return {
    ...(webhook !== undefined && {
      webhook: {
        needs: { webhook, ...defined({ secret }) },
        send: (sent, notification) => postSigned(now(), sent, notification),
      },
    }),
    ...(slack !== undefined && {
      slack: {
        needs: { slack },
        send: (sent, notification, task) =>
          post(sent['slack'] ?? '', JSON.stringify(slackMessage(notification, task)), {}),
      },
    }),
    ...(mail !== undefined &&
      sendMail !== undefined && {
        mail: { needs: {}, send: (_, notification, task) => sendMail(mailOf(notification, task)) },
      }),
  };
}

/** A link of its own for each way: who has one of them cannot tell another. */
async function linksOf(base: string, { question }: UnansweredQuestion, store: Pick<RunStore, 'bind'>) {
  const address = base.replace(/\/+$/, '');
  return {
    url: `${address}/#/runs/${question.root}`,
    answerUrl: `${address}/answer/${await createAnswerLink(question, store)}`,
  };
}

/** Signs what it sends, so that the receiver knows that it comes from here and is not an old message. */
async function postSigned(
  now: number,
  { webhook = '', secret }: Readonly<Record<string, string>>,
  notification: Notification,
): Promise<void> {
  const body = JSON.stringify(notification);
  if (secret === undefined) return post(webhook, body, {});
  const seconds = Math.floor(now / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  await post(webhook, body, { 'x-cadre-signature': `t=${seconds},v1=${signature}` });
}

const TRIES = 3;
const TRY_MS = 5_000;
const WAIT_MS = 500;

/** @throws {Error} if it is not taken after three tries, or is refused */
async function post(address: string, body: string, headers: Record<string, string>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const fault = await tryPost(address, body, headers);
    if (fault === undefined) return;
    if (tries === TRIES || !fault.mayPass) throw new Error(fault.message);
    await delay(WAIT_MS * tries);
  }
}

/** Why it was not taken, and whether that may pass. The address may be a secret, and is in no message. */
async function tryPost(
  address: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ message: string; mayPass: boolean } | undefined> {
  try {
    const { ok, status } = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(TRY_MS),
    });
    return ok ? undefined : { message: `it answered ${status}`, mayPass: status >= 500 || status === 429 };
  } catch {
    return { message: 'it cannot be reached', mayPass: true };
  }
}
