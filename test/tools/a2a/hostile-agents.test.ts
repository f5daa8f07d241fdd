import { expect, onTestFinished, test } from 'vitest';
import * as v from 'valibot';
import { RemoteState } from '../../../src/core/records/remote.ts';
import type { Secrets } from '../../../src/core/records/secrets.ts';
import { seconds } from '../../../src/core/records/times.ts';
import type { ToolServer } from '../../../src/core/records/tool-server.ts';
import { MAX_RESULT_CHARACTERS } from '../../../src/core/tool-contracts/tool.ts';
import { openRemoteAgents } from '../../../src/tools/a2a/remote-agents.ts';
import { serveHostileAgent } from '../../fixtures/hostile-agent.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';

const SECRET = 'a-secret-of-ours';

const secrets: Secrets = { secret: async () => SECRET, howToGive: () => '' };

/** Asks a server that answers each request with one task, and finds out what is kept of that. */
async function kept(task: object): Promise<RemoteState> {
  const endpoint = await serveHostileAgent(() => ({ task: { contextId: 'c', ...task } }));
  const { text } = await ask(endpoint);
  expect(text.length).toBeLessThanOrEqual(MAX_RESULT_CHARACTERS);
  return v.parse(v.pipe(v.string(), v.parseJson(), RemoteState), text);
}

function ask(endpoint: string, timeout = 20) {
  const headers = { authorization: 'Bearer ${TOKEN}' };
  const server: ToolServer = {
    name: 'booking',
    reach: { kind: 'url', protocol: 'a2a', url: endpoint, headers },
    tools: [],
    disallowedTools: [],
    readOnly: [],
    timeout: seconds(timeout),
    required: false,
  };
  return openRemoteAgents({ ...secrets, now: Date.now }).call(server, {
    tool: 'ask_remote_agent',
    name: 'ask_remote_agent',
    arguments: { ask: 'send', message: 'm', text: 'go' },
    owner: undefined,
    isRepeatable: true,
    signal: AbortSignal.timeout(20_000),
  });
}

const answer = (text: string, id = 't') => ({
  id,
  status: { state: 'TASK_STATE_COMPLETED' },
  artifacts: [{ artifactId: 'a', parts: [{ text }] }],
});

const question = (text: string, choices: string[]) => ({
  id: 't',
  status: {
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: { messageId: 'q', role: 'ROLE_AGENT', parts: [{ text }, { data: { choices } }] },
  },
});

test.each([
  ['quotes, which JSON doubles', '"'.repeat(60_000)],
  ['line ends', '\n'.repeat(60_000)],
  ['letters', 'a'.repeat(60_000)],
])('an answer of more %s than a result has room for is cut, and can be read', async (_, text) => {
  const { state, text: said } = await kept(answer(text));
  expect(state).toBe('done');
  expect(said.slice(0, 5_000)).toBe(text.slice(0, 5_000));
  expect(said).toMatch(/\n\[The rest is left out.\]$/);
});

const said = (...parts: object[]) => ({ message: { messageId: 'q', role: 'ROLE_AGENT', parts } });

test.each<[state: string, status: object, artifacts: object[], kept: object]>([
  ['COMPLETED', {}, [], { state: 'done', text: '' }],
  ['COMPLETED', said({ text: 'ready' }), [], { state: 'done', text: 'ready' }],
  [
    'COMPLETED',
    said({ text: 'ready' }),
    [
      { parts: [{ text: 'one' }, { data: { one: 1 } }, { text: 'two' }] },
      { parts: [] },
      { parts: [{ data: [3] }] },
    ],
    { state: 'done', text: 'one\ntwo\n\n[3]' },
  ],
  [
    'COMPLETED',
    {},
    [
      {
        parts: [
          { raw: 'AAAA', filename: 'a.png', mediaType: 'image/png' },
          { url: 'https://b.example/b', mediaType: 'b/b' },
        ],
      },
    ],
    { state: 'done', text: '[a file that is left out: a.png, image/png]\n[a file that is left out: b/b]' },
  ],
  ['INPUT_REQUIRED', {}, [], { state: 'asks', text: 'The remote agent needs an answer to go on.' }],
  ['INPUT_REQUIRED', said({ text: 'Which?' }), [], { state: 'asks', text: 'Which?' }],
  [
    'INPUT_REQUIRED',
    said({ text: 'Which?' }, { data: { choices: [] } }, { data: { choices: ['a', 'b'] } }),
    [],
    { state: 'asks', text: 'Which?', choices: ['a', 'b'] },
  ],
  ['AUTH_REQUIRED', {}, [], { state: 'failed', text: 'it wants somebody to sign in' }],
  [
    'AUTH_REQUIRED',
    said({ text: 'at x' }),
    [],
    { state: 'failed', text: 'it wants somebody to sign in: at x' },
  ],
  ['FAILED', said({ text: 'no room' }), [], { state: 'failed', text: 'no room' }],
  ['REJECTED', said({ text: 'not I' }), [], { state: 'failed', text: 'not I' }],
  ['CANCELED', said({ text: 'left' }), [], { state: 'canceled', text: 'left' }],
  ['WORKING', said({ text: 'soon' }), [], { state: 'working', text: 'soon' }],
  ['SUBMITTED', {}, [], { state: 'working', text: '' }],
])(
  'of a task that is %s with %j and %j there is kept what it says',
  async (state, more, artifacts, expected) => {
    const status = { state: `TASK_STATE_${state}`, ...more };
    const named = artifacts.map((each, index) => ({ artifactId: `a${index}`, ...each }));
    expect(await kept({ id: 't', status, artifacts: named })).toEqual({ task: 't', ...expected });
  },
);

test('an answer of 40,000 characters is kept whole, and of one more its beginning', async () => {
  const texts = [40_000, 40_001].map(async (length) => (await kept(answer('a'.repeat(length)))).text);
  expect(await Promise.all(texts)).toEqual([
    'a'.repeat(40_000),
    `${'a'.repeat(40_000)}\n[The rest is left out.]`,
  ]);
});

test('no answer has a secret in it, nor a part of one where it is cut', async () => {
  expect(await kept(answer(`${'a'.repeat(39_990)}${SECRET}`))).toEqual({
    task: 't',
    state: 'done',
    text: `${'a'.repeat(39_990)}[secret]`,
  });
});

test('nor has the reason why its card cannot be had', async () => {
  const { endpoint, close } = await serveOnLoopback((_, response) => response.writeHead(401, SECRET).end());
  onTestFinished(close);
  expect((await ask(endpoint)).text).toContain('does not answer: HTTP 401 [secret]');
});

test('people see no characters that act on a screen, and no secret among choices', async () => {
  expect(await kept(question('pay\u202e?\u001b[2J', ['y\u0007es', SECRET]))).toEqual({
    task: 't',
    state: 'asks',
    text: 'pay?[2J',
    choices: ['yes', '[secret]'],
  });
});

test('of a question with too many choices there are the words', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `choice ${index}`);
  expect(await kept(question('which?', many))).toEqual({ task: 't', state: 'asks', text: 'which?' });
});

test('a task with an endless name fails', async () => {
  expect(await kept(answer('done', 't'.repeat(100_000)))).toEqual({
    state: 'failed',
    text: 'remote agent "booking" does not answer: the name of its task has more than 1000 characters',
  });
});

test('a card that never comes is waited for no longer than for a call', async () => {
  const { endpoint, close } = await serveOnLoopback(() => {});
  onTestFinished(close);
  expect(await ask(endpoint, 1)).toMatchObject({ isError: true });
});
