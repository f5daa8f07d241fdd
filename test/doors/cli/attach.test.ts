import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../src/doors/cli/command-line.ts';
import { pdf, png } from '../../fixtures/images.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const chart = png(1200, 800);
const invoice = pdf('Total: 42');

const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: chart.toString('base64') },
};
const document = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: invoice.toString('base64') },
};
const say = (text: string) => ({
  body: {
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 9, output_tokens: 3 },
  },
});
const call = (name: string, input: object) => ({
  body: {
    content: [{ type: 'tool_use', id: 'one', name, input }],
    stop_reason: 'tool_use',
    usage: { input_tokens: 9, output_tokens: 3 },
  },
});

const Body = v.object({ messages: v.array(v.unknown()) });

/** A project with an agent that sees, and one that does not, and a server that answers for both. */
async function project(replies: object[], agent = '') {
  const server = await startModelServer(replies.map((reply) => ({ body: {}, ...reply })));
  onTestFinished(() => server.close());
  const cwd = await tempFolder({
    'agents/see.toml': `name = "see"\nmodel = "anthropic/claude-sonnet-4-5"\n${agent}`,
    'agents/blind.toml': `name = "blind"\nmodel = "groq/llama-3.3-70b"\n${agent}`,
    'chart.png': chart,
    'invoice.pdf': invoice,
    'notes.md': '# Notes',
    'odd.bin': Buffer.from('a\0b'),
  });
  const env = {
    CADRE_ANTHROPIC_BASE_URL: server.url,
    CADRE_GROQ_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: 'a-key',
    GROQ_API_KEY: 'a-key',
  };
  const run = async (words: string[], stdin: string | Uint8Array = '') => {
    const io = recordedIo(cwd, { env, stdin });
    const code = (await runCommandLine(words, io)) ?? 0;
    return { code, out: io.out, err: io.err };
  };
  const messages = () => server.requests.map(({ body }) => v.parse(Body, body).messages);
  return { run, messages };
}

describe('cadre run --attach', () => {
  test('shows a model images and documents with the prompt, and texts in it', async () => {
    const { run, messages } = await project([say('A chart.')]);
    const words = ['run', 'see', '-p', 'What is this?', '--attach', 'chart.png', 'invoice.pdf', 'notes.md'];
    expect(await run(words)).toMatchObject({ code: 0, out: 'A chart.' });
    const text = 'What is this?\n\nContext:\n### notes.md\n```md\n# Notes\n```';
    expect(messages()).toEqual([[{ role: 'user', content: [image, document, { type: 'text', text }] }]]);
  });

  test('describes them to a model that cannot see, with the text of a document', async () => {
    const answer = {
      choices: [{ message: { role: 'assistant', content: 'A chart.' }, finish_reason: 'stop' }],
    };
    const { run, messages } = await project([{ body: answer }]);
    const words = ['run', 'blind', '-p', 'Look.', '--attach', 'chart.png', 'invoice.pdf'];
    expect(await run(words)).toMatchObject({ code: 0, out: 'A chart.' });
    const content =
      'Look.\n\n[image/png, 1200 x 800, 64 bytes]\n\n[application/pdf, 1 page, 584 bytes]\n\nTotal: 42';
    expect(messages()).toEqual([[{ role: 'user', content }]]);
  });

  test('reads no more of a file than may be attached', async () => {
    const { run } = await project([]);
    const large = join(await tempFolder({ 'a.txt': '' }), 'a.txt');
    await truncate(large, 24 * 2 ** 20 + 1);
    expect(await run(['run', 'see', '-p', 'What?', '--attach', large])).toMatchObject({
      code: 2,
      err: expect.stringContaining('which is to be attached: it has more than 24 MB, which is the most'),
    });
  });

  test.each([['resume'], ['fork', '--turn', '1']])(
    'is described to a model that cannot see with %s, whatever the first one saw',
    async (word, ...point) => {
      const answer = {
        choices: [{ message: { role: 'assistant', content: 'A chart.' }, finish_reason: 'stop' }],
      };
      const failed = { status: 400, body: { error: { message: 'no' } } };
      const { run, messages } = await project([failed, { body: answer }], 'params = { images = true }\n');
      expect((await run(['run', 'see', '-p', 'Look.', '--attach', 'chart.png'])).err).toContain(
        'bad_request: no',
      );
      const again = await run([word, 'last', ...point, '--model', 'groq/llama-3.3-70b']);
      expect(again.out).toBe('A chart.');
      expect(messages().at(-1)).toEqual([
        { role: 'user', content: 'Look.\n\n[image/png, 1200 x 800, 64 bytes]' },
      ]);
    },
  );

  test('takes an image from stdin, by its first bytes', async () => {
    const { run, messages } = await project([say('A chart.')]);
    expect(await run(['run', 'see', '-p', 'What?'], chart)).toMatchObject({ code: 0, out: 'A chart.' });
    expect(messages()).toEqual([[{ role: 'user', content: [image, { type: 'text', text: 'What?' }] }]]);
  });

  test.each([
    ['odd.bin', 'odd.bin is a binary file: attach PNG, JPEG, GIF or WebP images, or PDF documents'],
    ['gone.png', 'cannot read gone.png, which is to be attached: there is no such file or folder'],
  ])('refuses %s', async (file, message) => {
    const { run } = await project([]);
    expect(await run(['run', 'see', '-p', 'What?', '--attach', file])).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });

  test('tells what is attached in a dry run', async () => {
    const { run, messages } = await project([]);
    const { out } = await run(['run', 'see', '-p', 'What?', '--attach', 'chart.png', '--dry-run']);
    expect(out).toContain('--- Attachments (1) ---\nimage/png, 1200 x 800, 64 bytes\n');
    expect(messages()).toEqual([]);
  });
});

describe('cadre send --attach', () => {
  const answered = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });

  test('shows an agent that has answered images and documents, and texts in the message', async () => {
    const { run, messages } = await project([say('Hello.'), say('A chart.')]);
    await run(['run', 'see', '-p', 'Hi.']);
    const words = ['send', 'last', 'What is this?', '--attach', 'chart.png', 'invoice.pdf', 'notes.md'];
    expect(await run(words)).toMatchObject({ code: 0, out: 'A chart.' });
    const text = 'What is this?\n\n### notes.md\n```md\n# Notes\n```';
    expect(messages()[1]).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      answered('Hello.'),
      { role: 'user', content: [image, document, { type: 'text', text }] },
    ]);
  });

  test('takes an image from stdin, about which nothing has to be said', async () => {
    const { run, messages } = await project([say('Hello.'), say('A chart.')]);
    await run(['run', 'see', '-p', 'Hi.']);
    expect(await run(['send', 'last'], chart)).toMatchObject({ code: 0, out: 'A chart.' });
    expect(messages()[1]?.at(-1)).toEqual({
      role: 'user',
      content: [image, { type: 'text', text: '[Attached]' }],
    });
    expect((await run(['show', 'last', '--messages'])).out).toContain('image/png, 1200 x 800, 64 bytes');
  });

  test('describes them to a model that cannot see, with the text of a document', async () => {
    const answer = {
      choices: [{ message: { role: 'assistant', content: 'Ok.' }, finish_reason: 'stop' }],
    };
    const { run, messages } = await project([{ body: answer }, { body: answer }]);
    await run(['run', 'blind', '-p', 'Hi.']);
    expect(await run(['send', 'last', 'Look.', '--attach', 'invoice.pdf'])).toMatchObject({ code: 0 });
    expect(messages()[1]?.at(-1)).toEqual({
      role: 'user',
      content: 'Look.\n\n[application/pdf, 1 page, 584 bytes]\n\nTotal: 42',
    });
  });

  test('is played again with what was attached', async () => {
    const { run } = await project([say('Hello.'), say('A chart.')]);
    await run(['run', 'see', '-p', 'Hi.']);
    await run(['send', 'last', 'And this?', '--attach', 'chart.png']);
    expect((await run(['replay', 'last'])).out).toBe('no difference: 1 run, 2 turns\n');
  });
});

describe('files of an agent', () => {
  test('are shown where a pattern names how they end, and no document is taken for a text', async () => {
    const files = 'files = ["*.png", "**"]\nworkdir = "."';
    const { run, messages } = await project([say('Yes.')], files);
    expect(await run(['run', 'see', '-p', 'Ready?'])).toMatchObject({ code: 0, out: 'Yes.' });
    expect(messages()).toEqual([[{ role: 'user', content: [image, { type: 'text', text: 'Ready?' }] }]]);
  });
});

describe('read_file', () => {
  const agent = 'tools = ["read_file"]';

  test('shows a model an image', async () => {
    const { run, messages } = await project(
      [call('read_file', { path: 'chart.png' }), say('A chart.')],
      agent,
    );
    expect(await run(['run', 'see', '-p', 'Look.'])).toMatchObject({ code: 0, out: 'A chart.' });
    expect(messages()[1]?.at(-1)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'one',
          content: [{ type: 'text', text: 'image/png, 1200 x 800, 64 bytes' }, image],
          is_error: false,
          ...CACHED,
        },
      ],
    });
  });
});

const CACHED = { cache_control: { type: 'ephemeral' } };
