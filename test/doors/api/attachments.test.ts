import { expect, test } from 'vitest';
import { hashOf, toAttachment } from '../../../src/core/attachments/to-attachment.ts';
import { pdf, png } from '../../fixtures/images.ts';
import { readAttachment } from '../../../src/doors/api/attachments.ts';
import { openDoors } from './owners/deployed-doors.ts';

const [chart, invoice] = [png(1200, 800), pdf('Total: 42')];
const [CHART, INVOICE] = [toAttachment(chart).attachment, toAttachment(invoice).attachment];
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

test('images and files of a client of OpenAI are attached to its messages', async () => {
  const { knock, stage } = await openDoors({ kid: () => 'A chart.' }, {});
  const { status, text } = await knock('ada', '/v1/chat/completions', {
    model: 'cadre/kid',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: dataUrl('image/png', chart), detail: 'high' } },
        ],
      },
      { role: 'assistant', content: 'Yes.' },
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: dataUrl('application/pdf', invoice) } },
          { type: 'text', text: 'And this?' },
        ],
      },
    ],
  });
  const [run = ''] = /kid-[0-9a-z]{14}/.exec(text) ?? [];
  const { store } = stage.pipeline;
  const { earlier, message, attachments } = (await store.opened(run)) ?? {};
  expect({ status, earlier, message, attachments }).toEqual({
    status: 200,
    earlier: [
      { role: 'user', text: 'Look.', attachments: [CHART] },
      { role: 'assistant', text: 'Yes.', calls: [] },
    ],
    message: 'And this?',
    attachments: [INVOICE],
  });
  expect(await store.attachment(run, CHART.hash)).toEqual({ data: chart.toString('base64') });
});

test('a later message has attachments as a prompt does, and may be nothing else', async () => {
  const { ask, started, stage } = await openDoors({ kid: ({ turn }) => `answer ${turn}` }, {});
  const run = await started('ada', 'kid', { prompt: 'hi' });
  const send = async (who: 'ada' | 'bob' | 'admin', body: object) => {
    const { status, text } = await ask(who, 'POST', `/runs/${run}/messages`, body);
    return { status, detail: JSON.parse(text).detail };
  };
  const attachments = [CHART.hash];
  const missing = `there is no attachment ${CHART.hash}: POST /attachments says where to put it`;
  expect(await send('ada', { text: 'Look.', attachments })).toEqual({ status: 422, detail: missing });
  expect(await send('ada', { text: ' ', attachments: [] })).toEqual({
    status: 400,
    detail: 'text must not be blank',
  });
  await ask('ada', 'PUT', `/attachments/${CHART.hash}`, chart);
  // What one person has left, another does not find by its hash.
  expect(await send('admin', { text: 'Look.', attachments })).toEqual({ status: 422, detail: missing });
  expect(await send('ada', { attachments })).toMatchObject({ status: 202 });
  await ask('ada', 'GET', `/runs/${run}/result?wait=25`);
  expect(stage.asked.at(-1)?.request.messages.at(-1)).toEqual({
    role: 'user',
    text: '',
    attachments: [CHART],
  });
  const shown = await ask('ada', 'GET', `/runs/${run}/attachments/${CHART.hash}`);
  expect([shown.status, shown.text]).toEqual([200, chart.toString()]);
  const { messages } = JSON.parse((await ask('ada', 'GET', `/runs/${run}/messages`)).text);
  expect(messages[2]).toEqual({ role: 'user', text: '', attachments: [CHART] });
});

test('a copy with other words is shown what went with those in whose place they stand', async () => {
  const { ask, started, stage } = await openDoors({ kid: ({ turn }) => `answer ${turn}` }, {});
  const run = await started('ada', 'kid', { prompt: 'hi' });
  await ask('ada', 'PUT', `/attachments/${CHART.hash}`, chart);
  await ask('ada', 'POST', `/runs/${run}/messages`, { text: 'Look.', attachments: [CHART.hash] });
  await ask('ada', 'GET', `/runs/${run}/result?wait=25`);
  const { text } = await ask('ada', 'POST', `/runs/${run}/fork`, { turn: 2, text: 'Look again.' });
  const copy: string = JSON.parse(text).run_id;
  const { store } = stage.pipeline;
  expect((await store.opened(copy))?.later).toEqual([
    { role: 'assistant', text: 'answer 1', calls: [] },
    { role: 'user', text: 'Look again.', attachments: [CHART] },
  ]);
  expect(await store.attachment(copy, CHART.hash)).toEqual({ data: chart.toString('base64') });
});

test('what a run was shown is read by who may see it, and by its hash alone', async () => {
  const { ask, started } = await openDoors({ kid: () => 'A chart.' }, {});
  await ask('ada', 'PUT', `/attachments/${CHART.hash}`, chart);
  const run = await started('ada', 'kid', { attachments: [CHART.hash] });
  const shown = await ask('ada', 'GET', `/runs/${run}/attachments/${CHART.hash}`);
  expect([shown.status, shown.text]).toEqual([200, chart.toString()]);
  for (const name of [INVOICE.hash, `${CHART.hash}.txt`, 'x']) {
    expect((await ask('ada', 'GET', `/runs/${run}/attachments/${name}`)).status).toBe(404);
  }
});

test('where answers have to be short, a large file is read at an address of its own', async () => {
  const { ask, started, stage } = await openDoors({ kid: () => 'A chart.' }, {});
  const large = png(1200, 800, 3 * 2 ** 20 + 1);
  const { attachment } = toAttachment(large);
  for (const file of [large, chart]) await ask('ada', 'PUT', `/attachments/${hashOf(file)}`, file);
  const run = await started('ada', 'kid', { attachments: [attachment.hash, CHART.hash] });
  const record = await stage.pipeline.store.run(run);
  if (record === undefined) throw new Error('there is no run');
  const published: unknown[] = [];
  const { environment } = stage;
  // To compare three megabytes byte by byte takes seconds.
  const publish = async (of: string, what: unknown, bytes: Uint8Array) => {
    published.push([of, what, hashOf(bytes)]);
    return 'https://bucket.example/file';
  };
  const uploads = { ...environment.uploads, publish };
  const read = async (hash: string, streams: boolean) => {
    const context = { environment: { ...environment, uploads }, streams };
    const { status, headers } = await readAttachment(record, hash, context);
    return [status, headers.get('location')];
  };
  expect(await read(attachment.hash, false)).toEqual([302, 'https://bucket.example/file']);
  expect(published).toEqual([[run, attachment, attachment.hash]]);
  expect(await read(attachment.hash, true)).toEqual([200, null]);
  expect(await read(CHART.hash, false)).toEqual([200, null]);
});

test('a copy in a tree of its own is shown what the conversation was', async () => {
  const { ask, started, stage } = await openDoors({ kid: () => 'A chart.' }, {});
  await ask('ada', 'PUT', `/attachments/${CHART.hash}`, chart);
  const run = await started('ada', 'kid', { attachments: [CHART.hash] });
  const { status, text } = await ask('ada', 'POST', `/runs/${run}/fork`, { text: 'And now?' });
  const copy: string = JSON.parse(text).run_id;
  const { store } = stage.pipeline;
  const shown = async (id: string) => [
    (await store.opened(id))?.attachments,
    await store.attachment(id, CHART.hash),
  ];
  expect([status, await shown(copy)]).toEqual([201, await shown(run)]);
});
