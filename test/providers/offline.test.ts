import { describe, expect, it } from 'vitest';
import type { Message, ToolResult } from '../../src/core/records/message.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { ask, callAgent, running } from './requests.ts';

const model = createOfflineModel();

function send(text: string, more: Partial<ModelRequest> = {}) {
  return model.send(ask(text, { model: 'extractive', ...more }), running);
}

async function answerTo(text: string, more: Partial<ModelRequest> = {}): Promise<string> {
  return (await send(text, more)).text;
}

const GUIDE = `# Ferry guide

![badge](https://example.org/badge.svg)

The ferry crosses the lake every hour between the two harbours, in summer and in winter.
It carries bicycles, dogs, etc. without a fee.

| Harbour | Height |
|---------|--------|
| North   | 3.5 m  |

1. Buy a ticket at the harbour office before you board.
2. Show the ticket to the crew of the ferry.

- Storms are a danger: the ferry may fail to cross, and crossings were cancelled 14 times in 2024.
- The timetable is at https://example.org/ferry?day=all. It changes in May.

\`\`\`sh
ferry --board now. This is code. It is no prose.
\`\`\`

The lake is 12.5 km long.
`;

/** Every sentence of the guide, each with the one that it needs. */
const SENTENCES = [
  'The ferry crosses the lake every hour between the two harbours, in summer and in winter. It carries bicycles, dogs, etc. without a fee.',
  'Buy a ticket at the harbour office before you board.',
  'Show the ticket to the crew of the ferry.',
  'Storms are a danger: the ferry may fail to cross, and crossings were cancelled 14 times in 2024.',
  'The timetable is at https://example.org/ferry?day=all. It changes in May.',
  'The lake is 12.5 km long.',
];

describe('offline/extractive', () => {
  it('answers with whole sentences of the text, in its order and no more than matter', async () => {
    const chosen = (await answerTo(`What matters here?\n\nContext:\n${GUIDE}`)).split('\n\n');
    expect(chosen).toEqual(SENTENCES.filter((sentence) => chosen.includes(sentence)));
    expect(chosen).toHaveLength(4);
    expect(chosen).toContain(SENTENCES[0]);
  });

  it('says the same every time', async () => {
    const prompt = `Task: look\n\nContext:\n${GUIDE}`;
    expect(await send(prompt)).toEqual(await send(prompt));
  });

  it.each([
    ['You look for danger, and for what may fail or be cancelled.', SENTENCES[3]],
    ['You name what a passenger has to buy and to show.', SENTENCES[1]],
    ['You report lengths in km.', SENTENCES[5]],
  ])('looks with the eyes of its role: %s', async (system, sentence) => {
    expect(await answerTo(`Task: look\n\nContext:\n${GUIDE}`, { system })).toContain(sentence);
  });

  it('takes nothing from its memory, neither a role nor a text', async () => {
    const prompt = `Task: look\n\nContext:\n${GUIDE}`;
    const system = 'You look for danger, and for what may fail or be cancelled.';
    const memory =
      '## Memory\n\nYou report lengths in km.\n```\nThe lake is 9 km long and dangerous.\n```\n\n';
    expect(await answerTo(prompt, { system: `${system}\n\n---\n\n${memory}` })).toBe(
      await answerTo(prompt, { system }),
    );
    const files = '## Context Files\n\n### a.md\n```md\nThe harbour has four piers.\n```';
    expect(await answerTo('x', { system: `\n\n---\n\n${files}\n\n---\n\n${memory}` })).toBe(
      'The harbour has four piers.',
    );
  });

  it('looks for what its task asks', async () => {
    expect(await answerTo(`When does the timetable change?\n\nContext:\n${GUIDE}`)).toContain(SENTENCES[4]);
  });

  it.each([
    ['a heading', '# The ferry is a ship'],
    ['a heading that is underlined', 'The ferry is a ship\n==================='],
    ['a row of a table', '| The ferry is | a ship. |'],
    ['a badge', '[![The build is good.](https://x.org/b.svg)](https://x.org)'],
    ['code', '```\nThe ferry is a ship.\n```'],
    ['code that is indented', '    The ferry is a ship.'],
    ['a command', '$ ferry is a ship.'],
    ['a command in a sentence', '`ferry --is a-ship --with=dogs` is so.'],
    [
      'a sentence that says where more is',
      'The fees of the ferry are in a table: see [docs/fees.md](docs/fees.md).',
    ],
    ['an order to look something up', 'See the ferry guide for details.'],
    ['an order to look it up in a book', 'Refer to the manual of the ferry for details.'],
    ['a part of a book', 'Please refer to Appendix B.'],
    ['whom to ask', 'Contact the office for more information.'],
    ['a condition of more', 'For more information on the ferry, read chapter 5.'],
    ['a place of more', 'More information on the ferry can be found in the wiki.'],
    ['a place of a list', 'The full list is in docs/deploy.md.'],
    ['a place of details', 'Details are in Appendix B.'],
    [
      'pages of their own',
      'Ferries that carry dogs are on pages of their own: the lark and [`wren`](wren.md).',
    ],
    ['a link', 'Fees: [what the ferry is](https://x.org/fees).'],
    ['an address', 'More is at https://x.org/ferry.'],
    ['an item of a list without a verb', '- tickets, dogs, bicycles'],
    ['the end of a sentence', 'is what the ferry is for.'],
    ['a sentence that needs another, which is not there', 'It is a ship that everybody likes.'],
    ['what leads up to a list', 'The ferry is for:'],
    ['a sentence with what no text has', 'The ferry is \u0001 a ship.'],
  ])('leaves out %s', async (_, part) => {
    const others = ['The harbour is deep.', 'The crew has a cat that sleeps.', 'The lake is cold in May.'];
    const text = [others[0], part, others[1], others[2]].join('\n\n');
    expect(await answerTo(`x\n\nContext:\n${text}`)).toBe(others.join('\n\n'));
  });

  it.each([
    'See-through panels cost 3 dollars.',
    'The details of the accident were never found.',
    'See a doctor if the pain lasts for a week.',
    'The crew refers to the ferry as the lark.',
    'The crew asked the harbour for details.',
    'The fault is in src/parse.ts.',
    'The list of victims is in the hands of the police.',
    'Information costs the office 3 dollars a page.',
  ])('keeps %j', async (sentence) => {
    const text = ['The harbour is deep.', sentence, 'The lake is cold in May.'].join('\n\n');
    expect(await answerTo(`x\n\nContext:\n${text}`)).toBe(text);
  });

  it('keeps a sentence with an amount, with any verb', async () => {
    const text = [
      'The harbour is deep.',
      'The lake is cold in May.',
      'The crew is tired.',
      'The repair cost 14,000 dollars and took three days.',
    ].join('\n\n');
    expect(await answerTo(`x\n\nContext:\n${text}`)).toBe(text);
  });

  it.each([
    [
      'The crew asks [`ask_user`](questions.md) and [a `[b]` c](x.md).',
      'The crew asks `ask_user` and a `[b]` c.',
    ],
    ['The crew is [here](https://x.org/a_(b)), on [deck](d.md "the deck").', 'The crew is here, on deck.'],
    ['The crew writes `[text](url)` for a link.', 'The crew writes `[text](url)` for a link.'],
    ['the crew\n[of it](x.md)', 'the crew of it'],
  ])('reads %j as text without addresses', async (text, expected) => {
    expect(await answerTo(`x\n\nContext:\n${text}`)).toBe(expected);
  });

  it('gives a sentence with those that it cannot do without, and without the marks of Markdown', async () => {
    const text =
      '- **Failures are outcomes.** A [run](x.md) that _fails_ is told to `its_caller`. It never takes the others down.\n' +
      '- The second point is short. Then it ends.';
    expect(await answerTo(`x\n\nContext:\n${text}`)).toBe(
      'Failures are outcomes. A run that fails is told to `its_caller`. It never takes the others down.\n\n' +
        'The second point is short. Then it ends.',
    );
  });

  it('takes those that come first where all matter as much', async () => {
    const sentences = ['North', 'South', 'East', 'West', 'Lower', 'Upper'].map(
      (pier) => `${pier}ern ${pier}men bring ${pier}ish ${pier}lings ${pier}wards.`,
    );
    expect(await answerTo(`x\n\nContext:\n${sentences.join('\n\n')}`)).toBe(
      sentences.slice(0, 4).join('\n\n'),
    );
  });

  it('does not repeat itself', async () => {
    const text = `${'The ferry crosses the lake every hour. '.repeat(5)}\n\nDogs travel free of charge.\n\nRain falls on most days.`;
    expect((await answerTo(`x\n\nContext:\n${text}`)).split('\n\n')).toEqual([
      'The ferry crosses the lake every hour.',
      'Dogs travel free of charge.',
      'Rain falls on most days.',
    ]);
  });

  it('reads the files in its system prompt, with any fences in them', async () => {
    const file = 'The harbour has four piers.\n```\ncode is left out\n```\nThe crew sleeps on board.';
    const system = `You are brief.\n\n---\n\n## Context Files\n\n### a.md\n\`\`\`\`md\n${file}\n\`\`\`\`\n\n---\n\n## Memory\n\nIt was asked before.`;
    expect(await answerTo('Execute the task described in your instructions.', { system })).toBe(
      'The harbour has four piers.\n\nThe crew sleeps on board.',
    );
  });

  it('reads the input of its caller beside what it was passed along', async () => {
    const alone = `Task: look\n\nInput:\n${GUIDE}`;
    const both = `Task: look\n\nContext:\nThe mill burns at night.\n\nInput:\nThe lake is 12.5 km long.\n`;
    expect(await answerTo(alone)).toBe(await answerTo(`Task: look\n\nContext:\n${GUIDE}`));
    expect(await answerTo(both)).toBe('The mill burns at night.\n\nThe lake is 12.5 km long.');
  });

  it('takes a prompt of several sentences for the text, where there is no other', async () => {
    const text = 'The first pier is closed. The second pier is open. The third pier is for freight.';
    expect(await answerTo(text)).toBe(text.replaceAll('. ', '.\n\n'));
  });

  it.each(['', 'What matters here?', 'Task: look\n\nContext:\n \n\t', 'x\n\nContext:\n\0\u0001\ufffd'])(
    'says that there was nothing to read in %j',
    async (text) => {
      expect(await answerTo(text)).toBe(
        'There was no text to pick sentences from, which is all that offline/extractive does.',
      );
    },
  );

  it.each([
    [
      'changes',
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n same\n- one\n+ two. Two.\n same\n+three\n@@ -9 +9,0 @@\n-four',
      'x:2\n- one\n+ two. Two.\n\nx:4\n+three\n\nx:9\n-four',
    ],
    ['changes after a list', '- a note\n- another\n@@ -1 +1 @@\n+go();', '+go();'],
    ['changes of no known file', '@@ -1 +1 @@\n- one\n+ two. Two.', '- one\n+ two. Two.'],
    [
      'changes that hardly matter, and one that does',
      '@@ -1 +1 @@\n-import a\n+import b\n x\n+  }\n x\n+go();',
      '+go();',
    ],
    [
      'a diff shown between fences',
      'The guide shows a change.\n\n```diff\n@@ -1 +1 @@\n-one\n+two\n```\n',
      'The guide shows a change.',
    ],
    ['words alone', '# one\n\n# two', '# one\n\n# two'],
    [
      'lines that do not end',
      'at 1 it ran\nat 2 it fell\nat 1 it ran\nat 1 it ran',
      'at 1 it ran\n\nat 2 it fell',
    ],
    ['no spaces', '今天天气很好。我们去公园玩吧！', '今天天气很好。\n\n我们去公园玩吧！'],
    [
      'abbreviations',
      'See Dr. Ada Ng, e.g. on Monday. She is in.',
      'See Dr. Ada Ng, e.g. on Monday. She is in.',
    ],
    ['sentences over several lines', 'The ferry\n  crosses the\r\nlake.', 'The ferry crosses the lake.'],
  ])('reads text with %s', async (_, text, expected) => {
    expect(await answerTo(`x\n\nContext:\n${text}`)).toBe(expected);
  });

  it('estimates tokens at four bytes each', async () => {
    expect((await send('x\n\nContext:\nThe lake is é.', { system: 'brief' })).usage).toEqual({
      inputTokens: Math.ceil((5 + 12 + 15) / 4),
      outputTokens: Math.ceil(15 / 4),
    });
  });

  it('is the only model there is', async () => {
    await expect(send('x', { model: 'abstractive' })).rejects.toMatchObject({
      name: 'ModelError',
      message: 'bad_request: no model "abstractive" offline: there is only offline/extractive',
    });
  });

  it('stops with its run', async () => {
    const reason = new Error('stopped by the user');
    await expect(model.send(ask('x'), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('offline/extractive with agents to call', () => {
  const tools = [callAgent];
  const prompt = `What matters here?\n\nContext:\n${GUIDE}`;

  it('first calls each of them once with the task and the text', async () => {
    expect(await send(prompt, { tools })).toMatchObject({
      text: '',
      calls: ['ada', 'bob'].map((agent, index) => ({
        id: `offline_${index}`,
        name: 'call_agent',
        arguments: { agent, task: 'What matters here?', context: GUIDE },
      })),
      stopReason: 'tool_calls',
    });
  });

  it('copies no text where its system prompt says so', async () => {
    const { calls } = await send(prompt, { tools, system: 'They read the same text: do not copy it.' });
    expect(calls.map((call) => call.arguments)).toEqual([
      { agent: 'ada', task: 'What matters here?' },
      { agent: 'bob', task: 'What matters here?' },
    ]);
  });

  it('hands its own task on, and no context where it has none', async () => {
    expect((await send('Task: look', { tools })).calls.map((call) => call.arguments)).toEqual([
      { agent: 'ada', task: 'look' },
      { agent: 'bob', task: 'look' },
    ]);
  });

  it('makes a task up where it got a text alone', async () => {
    expect((await send(GUIDE, { tools })).calls.map((call) => call.arguments)).toEqual(
      ['ada', 'bob'].map((agent) => ({
        agent,
        task: 'Say what matters most in the given text',
        context: GUIDE,
      })),
    );
  });

  it('prefers the names that the schema lists, each once', async () => {
    const agent = { type: 'string' as const, enum: ['eve', 'eve', 'fay'], description: 'must be one of: x' };
    const tool = { ...callAgent, parameters: { ...callAgent.parameters, properties: { agent } } };
    const { calls } = await send('look', { tools: [tool] });
    expect(calls.map((call) => call.arguments['agent'])).toEqual(['eve', 'fay']);
  });

  it('calls no other tool', async () => {
    expect((await send('look', { tools: [{ ...callAgent, name: 'other' }] })).calls).toEqual([]);
  });

  function answered(...results: Pick<ToolResult, 'text' | 'isError'>[]): Partial<ModelRequest> {
    const calls = results.map((_, index) => ({ id: `offline_${index}`, name: 'call_agent', arguments: {} }));
    const messages: Message[] = [
      { role: 'user', text: prompt },
      { role: 'assistant', text: '', calls },
      {
        role: 'tool',
        results: results.map((result, index) => ({
          callId: `offline_${index}`,
          name: 'call_agent',
          ...result,
        })),
      },
    ];
    return { tools, messages };
  }

  it('then answers from what they said, in the order of the text, each sentence once', async () => {
    const more = answered(
      { text: `${SENTENCES[5]}\n\n${SENTENCES[1]}`, isError: false },
      { text: `${SENTENCES[1]}\n\nA sentence of its own.`, isError: false },
    );
    expect(await send(prompt, more)).toMatchObject({
      text: `${SENTENCES[1]}\n\n${SENTENCES[5]}\n\nA sentence of its own.`,
      calls: [],
      stopReason: 'end',
    });
  });

  it('keeps changes of a diff as they were picked', async () => {
    const diff =
      '+++ b/a.ts\n@@ -1,2 +1,2 @@\n-const size = 1;\n+const size = 2;\n other();\n+const limit = 3;\n other();';
    const text = 'a.ts:3\n+const limit = 3;\n\na.ts:1\n-const size = 1;\n+const size = 2;';
    const { messages = [] } = answered({ text, isError: false });
    const first: Message = { role: 'user', text: `Review\n\nContext:\n${diff}` };
    expect(await answerTo('', { tools, messages: [first, ...messages.slice(1)] })).toBe(
      'a.ts:1\n-const size = 1;\n+const size = 2;\n\na.ts:3\n+const limit = 3;',
    );
  });

  it('passes over those that failed', async () => {
    const failed = { text: 'Error: sub-agent "bob" failed - no such thing at all.', isError: true };
    expect(await answerTo(prompt, answered({ text: 'The lake is deep.', isError: false }, failed))).toBe(
      'The lake is deep.',
    );
  });

  it('reads the text itself where all of them failed or had nothing to say', async () => {
    const failed = { text: 'Error: sub-agent "ada" failed - no such thing at all.', isError: true };
    const alone = await answerTo(prompt);
    expect(await answerTo(prompt, answered(failed, { text: '', isError: false }))).toBe(alone);
  });

  it('asks them anew when the user goes on', async () => {
    const { messages = [] } = answered({ text: 'The lake is deep.', isError: false });
    const more: Message[] = [
      ...messages,
      { role: 'assistant', text: 'The lake is deep.', calls: [] },
      { role: 'user', text: 'And now?' },
    ];
    expect((await send('', { tools, messages: more })).calls.map((call) => call.arguments['task'])).toEqual([
      'And now?',
      'And now?',
    ]);
  });
});
