import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AnsweredError } from '../../../src/core/lifecycle/answer-question.ts';
import type { Answer, Question } from '../../../src/core/records/question.ts';
import { createAnswerPage } from '../../../src/doors/api/answer-page.ts';
import { createCallbackPage } from '../../../src/doors/api/callback-page.ts';
import { ConfigError } from '../../../src/errors.ts';
import { createAnswerLink } from '../../../src/places/notify/answer-links.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';

const ASKED: Question = {
  run: 'top-1',
  root: 'top-1',
  turn: 1,
  call: 1,
  agent: 'top',
  question: 'Which <b>one</b>?\u202e',
  askedAt: '2026-01-01T00:00:00.000Z',
};
const CHOOSING = { ...ASKED, call: 2, choices: ['red', 'blue & green'] };
const APPROVING = {
  ...ASKED,
  call: 3,
  approval: { tool: 'write_file', arguments: { path: 'a', content: '<x>' } },
  choices: ['approve', 'deny', 'always'],
  leadsTo: '/elsewhere',
};

/** The page behind a link to each question, of which one answer is taken. */
async function openPage(ends?: Partial<Answer>) {
  const { runs } = createMemoryStore();
  const given: unknown[] = [];
  const page = createAnswerPage({
    async answer(question, { text }, by) {
      given.push([question.call, text, by]);
      if (text === 'refused') throw new ConfigError('the server says why not');
      if (ends !== undefined) throw new AnsweredError('it is over');
      return { text, at: '' };
    },
    records: {
      ...runs,
      question: async ({ call }) => [ASKED, CHOOSING, APPROVING][call - 1],
      answer: async () => (ends === undefined ? undefined : { at: '', ...ends }),
      turn: async () => undefined,
      isCarriedOut: async () => false,
    },
  });
  const ask = async (question: Question, fields?: Record<string, string>) => {
    const token = await createAnswerLink(question, runs);
    return page.request(`/answer/${token}`, fields && { method: 'POST', body: new URLSearchParams(fields) });
  };
  return { page, ask, given };
}

/** All of an answer but how it looks. */
async function whole(response: Response): Promise<string> {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`);
  const text = (await response.text()).replace(/<style>[^]*<\/style>/, '').replaceAll(/^ *\n/gm, '');
  return `${response.status}\n${headers.join('')}\n${text}`;
}

const accepted = (name: string) => join(import.meta.dirname, 'accepted', `${name}.txt`);

test('the pages behind answer links are as they were accepted', async () => {
  const { page, ask, given } = await openPage();
  const shown = [
    await ask(ASKED),
    await ask(CHOOSING),
    await ask(APPROVING),
    await ask(APPROVING, { text: 'refused' }),
    await ask(CHOOSING, { choice: 'red', text: 'more' }),
    await page.request('/answer/none'),
  ];
  expect(given.splice(0)).toEqual([
    [3, 'refused', 'an answer link'],
    [2, 'red', 'an answer link'],
  ]);
  await ask(ASKED, { text: ' own words ' });
  await ask(APPROVING, { choice: 'deny', text: ' not now ' });
  await ask(APPROVING, { choice: 'deny' });
  await ask(APPROVING, { choice: 'approve', text: 'well' });
  expect(given.map((each) => Array.isArray(each) && each[1])).toEqual([
    'own words',
    'deny: not now',
    'deny',
    'approve',
  ]);
  for (const ends of [{ text: 'red' }, {}]) {
    const over = await openPage(ends);
    shown.push(await over.ask(ASKED), await over.ask(ASKED, { text: 'x' }));
  }
  await expect((await Promise.all(shown.map(whole))).join('\n\n')).toMatchFileSnapshot(
    accepted('answer-page'),
  );
});

test('the page that a person comes back to from a server is as it was accepted', async () => {
  const page = createCallbackPage();
  const shown = [
    await page.request(
      'https://cadre.example/oauth/callback?code=a%26b&state=s&iss=i&error=e&error_description=d&other=x',
    ),
    await page.request('https://cadre.example/oauth/callback'),
    await page.request('https://cadre.example/oauth/client.json'),
  ];
  await expect((await Promise.all(shown.map(whole))).join('\n\n')).toMatchFileSnapshot(
    accepted('callback-page'),
  );
});
