import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import * as v from 'valibot';
import { hookServer, hookTables } from '../../fixtures/hook-server.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { use, type Asked } from '../../fixtures/stage.ts';
import { serveAgents, wallClock } from './served-agents.ts';

const Told = v.looseObject({ answer_url: v.string(), run_id: v.string() });

const Open = v.object({
  questions: v.array(v.looseObject({ question_id: v.string(), about: v.exactOptional(v.string()) })),
});

interface Received {
  body: string;
  signature: string | undefined;
}

/** A server that people's messages are sent to. */
async function receiver(status = 200) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const { endpoint, close } = await serveOnLoopback(async (request, response) => {
    const signature = request.headers['x-cadre-signature'];
    received.push({ body: String(await bodyOf(request)), signature: signature?.toString() });
    response.writeHead(status).end();
    waiting.splice(0).forEach((goOn) => goOn());
  });
  onTestFinished(close);
  return {
    url: `${endpoint}/hook`,
    async next(index: number): Promise<Received> {
      for (;;) {
        const found = received[index];
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => void waiting.push(resolve));
      }
    },
  };
}

const asker = ({ turn, results }: Asked) =>
  turn === 1
    ? [use('ask_user', { question: 'Which <b>one</b>?', choices: ['red', 'blue & green'] })]
    : results.join();
const ASKS = { top: 'tools = ["ask_user"]\ntimeout = 3600\n' };

function form(fields: Record<string, string>): RequestInit {
  return { method: 'POST', body: new URLSearchParams(fields) };
}

test('a webhook is told of a question, signed, and the link in it answers the question once', async () => {
  const hook = await receiver();
  const notify = { webhook: hook.url, secret: 'a secret of ours' };
  const atSecondsEnd = () => 1000 * Math.floor(wallClock.now() / 1000) + 999;
  const time = { ...wallClock, now: atSecondsEnd };
  const { get, post, server, requests } = await serveAgents({ top: asker }, ASKS, {}, time, { notify });
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(started['run_id']);
  const { body, signature = '' } = await hook.next(0);
  const told = v.parse(Told, JSON.parse(body));
  expect(told).toEqual({
    type: 'question',
    run_id: run,
    root: run,
    agent: 'top',
    question_id: 't1c1',
    question: 'Which <b>one</b>?',
    choices: ['red', 'blue & green'],
    tool: null,
    arguments: null,
    expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    url: `${server.url}/#/runs/${run}`,
    answer_url: expect.stringMatching(new RegExp(`^${server.url}/answer/[\\w-]{43}$`)),
  });
  const [, seconds = ''] = /^t=(\d+),v1=[0-9a-f]{64}$/.exec(signature) ?? [];
  const signed = createHmac('sha256', 'a secret of ours').update(`${seconds}.${body}`).digest('hex');
  expect(signature).toBe(`t=${seconds},v1=${signed}`);
  // A receiver may refuse what is signed in its future.
  expect(Number(seconds)).toBeLessThanOrEqual(Date.now() / 1000);

  // As a link in a mail is followed, by a program that checks mails, too.
  const shown = await fetch(told.answer_url, { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(shown.status).toBe(200);
  const page = await shown.text();
  expect(page).toContain('top asks');
  expect(page).toContain('Which &lt;b&gt;one&lt;/b&gt;?');
  expect(page).toContain('value="blue &amp; green"');
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect((await get('/questions')).body['questions']).toHaveLength(1);

  const empty = await fetch(told.answer_url, form({ text: ' ' }));
  expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining('the answer is empty')]);
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const broken = await fetch(told.answer_url, { method: 'POST', headers, body: 'no form' });
  expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining('cannot be read')]);
  const taken = await fetch(told.answer_url, form({ choice: 'blue & green', text: 'ignored' }));
  expect([taken.status, await taken.text()]).toEqual([200, expect.stringContaining('Thank you')]);
  expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({ content: 'blue & green' });
  const twice = await fetch(told.answer_url, form({ choice: 'blue & green' }));
  expect([twice.status, await twice.text()]).toEqual([200, expect.stringContaining('Thank you')]);
  const again = await fetch(told.answer_url, form({ choice: 'red' }));
  expect([again.status, await again.text()]).toEqual([410, expect.stringContaining('Answered already')]);
  expect((await fetch(told.answer_url)).status).toBe(410);
  const { body: details } = await get(`/runs/${run}/questions/t1c1`);
  expect(details['ended']).toMatchObject({ answer: 'blue & green', by: 'an answer link' });
  expect(
    requests.filter((line) => line.includes('/answer/')).every((line) => line.includes('/answer/… ')),
  ).toBe(true);
});

test.each(['x', 'A'.repeat(43), 'A'.repeat(5000)])('no question is behind %.9s', async (token) => {
  const { server } = await serveAgents({ top: asker }, ASKS);
  const answers = await Promise.all(
    [undefined, form({ text: 'yes' })].map((init) => fetch(`${server.url}/answer/${token}`, init)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

test('an approval is denied by a link, with a reason', async () => {
  const hook = await receiver();
  const { get, post } = await serveAgents(
    {
      top: ({ turn, results }) =>
        turn === 1 ? [use('write_file', { path: 'a', content: 'x\u202ey' })] : results.join(),
    },
    { top: 'tools = ["files"]\nmode = "ask"\ntimeout = 3600\n' },
    {},
    wallClock,
    { notify: { webhook: hook.url } },
  );
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const { body, signature } = await hook.next(0);
  expect(signature).toBeUndefined();
  const told = v.parse(Told, JSON.parse(body));
  expect(told).toMatchObject({
    type: 'approval',
    tool: 'write_file',
    arguments: { path: 'a', content: 'x\u202ey' },
    choices: ['approve', 'deny', 'always'],
  });
  const page = await (await fetch(told.answer_url)).text();
  expect(page).toContain('top asks to call write_file');
  // What reads differently from what it does is named.
  expect(page).toContain('x[U+202E]y');
  const neither = await fetch(told.answer_url, form({ text: 'perhaps' }));
  expect([neither.status, await neither.text()]).toEqual([
    400,
    expect.stringContaining('the answer to an approval is approve, always, or deny with a reason'),
  ]);
  expect((await fetch(told.answer_url, form({ choice: 'deny', text: 'not there' }))).status).toBe(200);
  const { body: ended } = await get(`/runs/${String(started['run_id'])}/result?wait=25`);
  expect(ended['content']).toContain('not there');
});

const LONG = `${'-'.repeat(30_000)} the end`;

test.each([
  [
    'of a call that a hook has changed',
    { change: 'on = "before_call"', ask: 'on = "before_call"' },
    { path: 'a', content: LONG },
    undefined,
  ],
  ['of a result', { ask: 'on = "after_call"' }, { result: 'created "a" (5 bytes)' }, 'result'],
  ['of a text', { ask: 'on = "before_answer"' }, { text: LONG }, 'text'],
])(
  'a person who is asked by a hook sees the whole %s, which is what is approved, and whether it may be changed',
  async (_, hooks, whole, about) => {
    const hook = await receiver();
    const { url } = await hookServer((__, name) =>
      name === 'change'
        ? { decision: 'replace', arguments: { path: 'a', content: LONG } }
        : { decision: 'ask' },
    );
    const { get, post } = await serveAgents(
      { top: ({ turn }) => (turn === 1 ? [use('write_file', { path: 'a', content: 'short' })] : LONG) },
      { top: `tools = ["files"]\npatience = 3600\n${hookTables(hooks)}` },
      {},
      wallClock,
      { notify: { webhook: hook.url }, lambdaEndpoint: url },
    );
    await post('/agents/top/runs', { json: { prompt: 'go' } });
    const { answer_url: link, run_id: run } = v.parse(Told, JSON.parse((await hook.next(0)).body));
    const page = await (await fetch(link)).text();
    expect(page).toContain(
      about === undefined ? '<h1>top asks to call write_file</h1>' : '<h1>top asks</h1>',
    );
    const [, pre = ''] = /<pre>([^<]*)<\/pre>/.exec(page) ?? [];
    expect(JSON.parse(pre.replaceAll('&quot;', '"'))).toEqual(whole);
    const { questions } = v.parse(Open, (await get('/questions')).body);
    const details = await get(`/runs/${run}/questions/${questions[0]?.question_id}`);
    expect(details.body['arguments']).toEqual(whole);
    expect([questions[0]?.about, details.body['about']]).toEqual([about, about]);
    const path = `/runs/${run}/questions/${questions[0]?.question_id}/answer`;
    const changed = { choice: 'approve', arguments: { ...whole, content: 'other' } };
    expect((await post(path, { json: changed })).status).toBe(about === undefined ? 200 : 400);
  },
);

test('Slack gets blocks in which nothing that a model wrote has a meaning', async () => {
  const slack = await receiver();
  const { post, server } = await serveAgents(
    { top: () => [use('ask_user', { question: `<!channel> & ${'&'.repeat(3000)}` })] },
    ASKS,
    {},
    wallClock,
    { notify: { slack: slack.url, url: 'https://cadre.example.com' } },
  );
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'tidy up' } });
  const run = String(started['run_id']);
  const { text, blocks } = JSON.parse((await slack.next(0)).body);
  expect(text).toMatch(/^top asks: &lt;!channel&gt; &amp; (&amp;)+…$/);
  expect(blocks).toEqual([
    { type: 'section', text: { type: 'mrkdwn', text: '*top asks*' } },
    {
      type: 'section',
      text: { type: 'mrkdwn', text: expect.stringMatching(/^&lt;!channel&gt; &amp; (&amp;)+…$/) },
    },
    {
      type: 'context',
      elements: [
        {
          type: 'mrkdwn',
          text: expect.stringMatching(new RegExp(`^Until .* UTC\\. Task: tidy up \\(run ${run}\\)$`)),
        },
      ],
    },
    {
      type: 'actions',
      elements: [
        {
          type: 'button',
          style: 'primary',
          text: { type: 'plain_text', text: 'Answer' },
          url: expect.stringMatching(/^https:\/\/cadre\.example\.com\/answer\/[\w-]{43}$/),
        },
        {
          type: 'button',
          text: { type: 'plain_text', text: 'Open the run' },
          url: `https://cadre.example.com/#/runs/${run}`,
        },
      ],
    },
  ]);
  expect(blocks[1].text.text.length).toBeLessThanOrEqual(3000);
  await server.close();
});

test('where nobody can be told, that is said without addresses, and the question waits', async () => {
  const hook = await receiver(403);
  const { post, told, get } = await serveAgents({ top: asker }, ASKS, {}, wallClock, {
    notify: { webhook: `${hook.url}?key=secret`, slack: '${NOT_THERE}' },
  });
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(started['run_id']);
  await expect
    .poll(() => told.join('\n'))
    .toContain(
      `people were not told of question t1c1 of run "${run}": webhook: it answered 403; slack: notify needs the secret NOT_THERE: set NOT_THERE in the environment, or in [secrets] of config.toml`,
    );
  expect((await get('/questions')).body['questions']).toHaveLength(1);
  expect(told.join('\n')).not.toContain('key=secret');
});
