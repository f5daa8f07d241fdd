import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import type { Message } from '../../../src/core/records/message.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import { createScriptedModel } from '../../../src/places/testing/scripted/scripted.ts';
import { ask, running } from '../../providers/requests.ts';

/** Plays one script, under any name. */
function play(script: unknown, request: ModelRequest, signal = running) {
  const text = typeof script === 'string' ? script : JSON.stringify(script);
  return createScriptedModel(async () => text).send(request, signal);
}

function after(...turns: Message[]): ModelRequest {
  return ask('Begin.', { model: 'tests/s.json', messages: [{ role: 'user', text: 'Begin.' }, ...turns] });
}

const asked: Message = {
  role: 'assistant',
  text: '',
  calls: [{ id: 'a', name: 'call_agent', arguments: { agent: 'ada' } }],
};
const results: Message = {
  role: 'tool',
  results: [
    { callId: 'a', name: 'call_agent', text: 'three risks', isError: false },
    { callId: 'b', name: 'call_agent', text: 'Error: no', isError: true },
  ],
};

const twoTurns = {
  conversations: [
    {
      turns: [
        {
          text: 'I ask.',
          calls: [
            {
              name: 'call_agent',
              arguments: { agent: 'ada', task: 'do: {{prompt}}', depth: 2, list: ['{{prompt}}'] },
            },
            { name: 'call_agent' },
          ],
        },
        { expect: 'three risks', text: 'They say: {{results}} ({{other}})' },
      ],
    },
  ],
};

describe('a script', () => {
  it('answers with the turn that follows from the conversation, to any caller and however often', async () => {
    const model = createScriptedModel(async () => JSON.stringify(twoTurns));
    const second = {
      text: 'They say: three risks\n\nError: no ({{other}})',
      calls: [],
      stopReason: 'end',
      rawStopReason: 'end',
    };
    expect(await model.send(after(asked, results), running)).toMatchObject(second);
    expect(await model.send(after(), running)).toEqual({
      text: 'I ask.',
      calls: [
        {
          id: 'scripted_1_0',
          name: 'call_agent',
          arguments: { agent: 'ada', task: 'do: Begin.', depth: 2, list: ['{{prompt}}'] },
        },
        { id: 'scripted_1_1', name: 'call_agent', arguments: {} },
      ],
      stopReason: 'tool_calls',
      rawStopReason: 'tool_calls',
      usage: { inputTokens: 2, outputTokens: 24 },
    });
    expect(await model.send(after(asked, results), running)).toMatchObject(second);
  });

  it('picks the first conversation that fits the prompt and the system prompt', async () => {
    const script = {
      conversations: [
        { match: 'risks', system: 'reviewer', turns: [{ text: 'reviewed risks' }] },
        { system: 'reviewer', turns: [{ text: 'reviewed' }] },
        { match: 'risks', turns: [{ text: 'risks' }] },
        { turns: [{ text: 'anything' }] },
      ],
    };
    const texts = await Promise.all(
      [
        ask('find risks', { system: 'a reviewer' }),
        ask('find bugs', { system: 'a reviewer' }),
        ask('find risks'),
        ask('find bugs'),
      ].map(async (request) => (await play(script, request)).text),
    );
    expect(texts).toEqual(['reviewed risks', 'reviewed', 'risks', 'anything']);
  });

  it('may be TOML', async () => {
    const script = `
      [[conversations]]
      match = "Begin"
      [[conversations.turns]]
      calls = [{ name = "call_agent", arguments = { agent = "ada" } }]
      usage = { input_tokens = 5, output_tokens = 6, cache_read_tokens = 3, cache_write_tokens = 1 }
      stop_reason = "other"
    `;
    expect(await play(script, { ...after(), model: 's.toml' })).toEqual({
      text: '',
      calls: [{ id: 'scripted_1_0', name: 'call_agent', arguments: { agent: 'ada' } }],
      stopReason: 'other',
      rawStopReason: 'other',
      usage: { inputTokens: 5, outputTokens: 6, cacheReadTokens: 3, cacheWriteTokens: 1 },
    });
  });

  it('plays errors of the API', async () => {
    const turns = [{ error: { category: 'rate_limit', message: 'slow down', retry_after: 1.5 } }];
    await expect(play({ conversations: [{ turns }] }, after())).rejects.toMatchObject({
      name: 'ModelError',
      category: 'rate_limit',
      message: 'rate_limit: slow down',
      details: { retryAfterMs: 1500 },
    });
  });

  it('is not overrun', async () => {
    await expect(
      play(
        twoTurns,
        after(asked, results, { role: 'assistant', text: 'x', calls: [] }, { role: 'user', text: 'y' }),
      ),
    ).rejects.toMatchObject({
      name: 'ModelError',
      message:
        'bad_request: script "tests/s.json": conversations[0] ends after turns[1] but was asked for turns[2]',
    });
  });

  it('refuses a prompt that it has no conversation for', async () => {
    await expect(play({ conversations: [{ match: 'End', turns: [{}] }] }, after())).rejects.toMatchObject({
      name: 'ModelError',
      message: 'bad_request: script "tests/s.json" has no conversation that fits the prompt "Begin."',
    });
  });

  it('shows what came where it expected something else', async () => {
    const script = { conversations: [{ turns: [{}, { expect: 'four risks', text: 'x' }] }] };
    await expect(play(script, after(asked, results))).rejects.toMatchObject({
      name: 'ModelError',
      message:
        'bad_request: script "tests/s.json": conversations[0].turns[1] expects "four risks", and what came is "three risks\n\nError: no"',
    });
  });

  it.each([
    ['the deadline', new DOMException('late', 'TimeoutError'), { category: 'timeout' }],
    ['a stop', new Error('stopped by the user'), { message: 'stopped by the user' }],
  ])('waits no longer than %s', async (_, reason, thrown) => {
    const stop = new AbortController();
    const slow = { conversations: [{ turns: [{ delay_ms: 60_000, text: 'late' }] }] };
    const sent = play(slow, after(), stop.signal);
    setImmediate(() => stop.abort(reason));
    await expect(sent).rejects.toMatchObject(thrown);
    await expect(play(slow, after(), stop.signal)).rejects.toMatchObject(thrown);
  });

  it.each<[string, number, [string, number][]]>([
    [
      'pauses between words where there is time for it',
      30,
      [
        ['One', 0],
        [' two', 10],
        ['\nthree', 20],
      ],
    ],
    [
      'pauses behind some words where there are more',
      20,
      [
        ['One', 0],
        [' two', 0],
        ['\nthree', 10],
      ],
    ],
    [
      'pauses once where the time is too short to be divided',
      9,
      [
        ['One', 0],
        [' two', 0],
        ['\nthree', 0],
      ],
    ],
    [
      'pauses nowhere where nothing is said of it',
      0,
      [
        ['One', 0],
        [' two', 0],
        ['\nthree', 0],
      ],
    ],
  ])('that is followed as it is written %s', async (_, delay_ms, written) => {
    let now = 0;
    const time = {
      now: () => now,
      sleep: async (milliseconds: number) => void (now += milliseconds),
    };
    const turns = [{ delay_ms, text: 'One two\nthree' }];
    const model = createScriptedModel(async () => JSON.stringify({ conversations: [{ turns }] }), time);
    const deltas: [string, number][] = [];
    await model.send(after(), running, (delta) => {
      if (delta.type === 'text') deltas.push([delta.text, now]);
    });
    expect({ deltas, now }).toEqual({ deltas: written, now: delay_ms });
  });

  it('waits as long as it says', async () => {
    const slow = { conversations: [{ turns: [{ delay_ms: 5, text: 'done' }] }] };
    expect((await play(slow, after())).text).toBe('done');
  });
});

describe('the file of a script', () => {
  it.each<[string, unknown]>([
    ['expected at least one conversation', { conversations: [] }],
    ['conversations[0].turns: expected at least one turn', { conversations: [{ turns: [] }] }],
    ['conversations[0].turns[1].txt: unknown key', { conversations: [{ turns: [{}, { txt: 'x' }] }] }],
    [
      'conversations[0].turns[0].calls[0].name: ',
      { conversations: [{ turns: [{ calls: [{ name: '' }] }] }] },
    ],
    [
      'conversations[0].turns[0].calls[0].arguments: invalid type: Expected Object',
      { conversations: [{ turns: [{ calls: [{ name: 'glob', arguments: [] }] }] }] },
    ],
    ['conversations[0].turns[0]: invalid type: Expected Object', { conversations: [{ turns: [['x']] }] }],
    ['conversations[0].turns[0].delay_ms: ', { conversations: [{ turns: [{ delay_ms: -1 }] }] }],
    [
      'conversations[0].turns[0].error.category: ',
      { conversations: [{ turns: [{ error: { category: 'x', message: '' } }] }] },
    ],
    [
      'conversations[0].turns[0]: a turn is either an error or an answer of text and calls',
      { conversations: [{ turns: [{ text: 'x', error: { category: 'auth', message: '' } }] }] },
    ],
    ['conversations: missing', [1]],
    ['conversations[0].turns: missing', { conversations: [{}] }],
  ])('is refused with the place of the fault: %s', async (place, script) => {
    await expect(play(script, after())).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('tests/s.json: '),
    });
    await expect(play(script, after())).rejects.toThrow(place);
  });

  it.each([
    ['s.json', '{\n "conversations" 5', /^s\.json:2:18: it is not valid JSON$/],
    ['s.json', 'sk-secret', /^s\.json:1:1: it is not valid JSON$/],
    ['s.toml', 'a = 1\nb = ', /^s\.toml:2:\d+: \S/],
  ])('is refused where it is no %s', async (model, text, message) => {
    await expect(play(text, ask('x', { model }))).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(message),
    });
  });

  it('is not quoted where it is no script', async () => {
    await expect(play('"sk-secret"', after())).rejects.toThrow(
      new ConfigError('tests/s.json: invalid type: Expected Object'),
    );
  });

  it('says where it cannot be read', async () => {
    const model = createScriptedModel(() => Promise.reject(new Error('no such file')));
    await expect(model.send(after(), running)).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'failed to read script "tests/s.json": no such file',
    });
  });

  it.each(['/etc/passwd', '../s.json', 'a/../../s.json', 'a\\s.json', 'a\0.json'])(
    'is never outside the project: %j',
    async (path) => {
      const model = createScriptedModel(() => Promise.reject(new Error('was read')));
      await expect(model.send(ask('x', { model: path }), running)).rejects.toMatchObject({
        name: 'ConfigError',
        message: `invalid script path "${path}": expected a path inside the project, with / and without ..`,
      });
    },
  );

  it('is read once', async () => {
    const read: string[] = [];
    const model = createScriptedModel(async (path) => {
      read.push(path);
      return JSON.stringify(twoTurns);
    });
    await Promise.all([model.send(after(), running), model.send(after(), running)]);
    expect(read).toEqual(['tests/s.json']);
  });
});
