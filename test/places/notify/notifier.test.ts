import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import type { UnansweredQuestion } from '../../../src/core/records/question.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { NotifySettings } from '../../../src/places/notify/settings.ts';
import { createNotifier } from '../../../src/places/notify/notifier.ts';
import { openLateTable } from '../../fixtures/late-table.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';

const run = aRun({ task: 'plan the trip' });

function asked(call: number, until?: number): UnansweredQuestion {
  const question = {
    root: run.id,
    run: run.id,
    turn: 1,
    call,
    agent: 'top',
    question: `Which ${call}?`,
    askedAt: '2026-01-01T00:00:00.000Z',
  };
  return until === undefined ? { question } : { question, wait: { token: 'secret', until } };
}

/** A notifier that sends mails, and the subjects of those; the mails fail as long as `fails` says so. */
async function openNotifier(settings: NotifySettings = {}) {
  const table = openLateTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await keepRun(store, run);
  const mails: string[] = [];
  const state = { fails: false };
  const notify = createNotifier({
    store,
    settings: { mail: 'ada@example.org', ...settings },
    secrets: NO_SECRETS,
    base: async () => undefined,
    async sendMail({ subject, text }) {
      if (state.fails) throw new Error('no route');
      mails.push(`${subject}\n${text}`);
    },
    now: () => 1_999,
  });
  return { notify, mails, state };
}

test('people are told of a question once, of each wait for its answer again, and once more as a reminder', async () => {
  const { notify, mails } = await openNotifier();
  const told: number[] = [];
  const steps: [UnansweredQuestion, boolean][] = [
    [asked(1), false],
    [asked(1), false],
    [asked(2), false],
    [asked(1, 60_000), false],
    [asked(1, 60_000), true],
    [asked(1, 60_000), true],
  ];
  for (const [open, isReminder] of steps) {
    await notify(open, isReminder);
    told.push(mails.length);
  }
  expect(told).toEqual([1, 1, 2, 3, 4, 4]);
  expect(mails.every((mail) => mail.includes('plan the trip'))).toBe(true);
});

test('a webhook gets a question as JSON, signed with the second in which it was sent', async () => {
  const got: unknown[] = [];
  const server = await serveOnLoopback((request, response) => {
    void bodyOf(request).then((body) => {
      got.push([request.headers['x-cadre-signature'], JSON.parse(body.toString()).question]);
      const by = createHmac('sha256', 'a key').update(`1.${body.toString()}`).digest('hex');
      got.push(`t=1,v1=${by}`);
      response.end();
    });
  });
  onTestFinished(() => server.close());
  const { notify } = await openNotifier({ webhook: server.endpoint, secret: 'a key', mail: undefined });
  await notify(asked(1), false);
  const [first, signature] = got;
  expect(first).toEqual([signature, 'Which 1?']);
});

test('a way that fails is named, and it alone is used again', async () => {
  const { notify, mails, state } = await openNotifier({ slack: '${GONE}' });
  await expect(notify(asked(1), false)).rejects.toMatchObject({ name: 'StoreError' });
  expect(mails.length).toBe(1);
  state.fails = true;
  const fault: unknown = await notify(asked(1), false).catch(String);
  expect(fault).toContain('slack: ');
  expect(fault).not.toContain('mail: ');
  expect(await notify(asked(2), false).catch(String)).toContain('mail: no route');
});
