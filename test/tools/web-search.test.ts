import { expect, onTestFinished, test } from 'vitest';
import { bodyOf, serveOnLoopback } from '../fixtures/loopback.ts';
import { inHeldTime, until } from '../fixtures/held-time.ts';
import { openStage, stageConfig, use, type Asked } from '../fixtures/stage.ts';

/** A request as it arrived: only what an API for searches reads. */
interface Arrived {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface Answer {
  status?: number;
  body?: unknown;
  location?: string;
}

const KEYS = ['authorization', 'x-subscription-token', 'content-type', 'accept'];

/** An API on loopback that gives one answer to everything, or none. */
async function serve(answer: Answer | 'silence') {
  const arrived: Arrived[] = [];
  const { endpoint, close } = await serveOnLoopback((request, response) => {
    void (async () => {
      const headers = Object.entries(request.headers).filter(([name]) => KEYS.includes(name));
      arrived.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
        body: String(await bodyOf(request)),
      });
      if (answer === 'silence') return;
      const { status = 200, body = {}, location } = answer;
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    })();
  });
  onTestFinished(close);
  return { endpoint, arrived };
}

/** A run whose model makes one search and repeats its result. @param settings further lines of `[web_search]` */
async function search(settings: string, args: object, more = '') {
  const stage = await openStage(
    {
      top: ({ turn, results }: Asked) =>
        turn === 1 ? [use('web_search', { query: 'blue whale', ...args })] : results.join('\n'),
    },
    { top: `tools = ["web_search"]\n${more}` },
    stageConfig(
      `[web_search]\n${settings}\n[secrets]\nTAVILY_API_KEY = "key-of-tavily"\nMY_KEY = "key-of-mine"\n[prices."stage/top"]\ninput = 1\noutput = 1\n`,
    ),
  );
  const { out, run } = await stage.run();
  return { out: out.trimEnd(), run, stage };
}

const TAVILY = {
  query: 'blue whale',
  answer: null,
  images: [],
  results: [
    {
      title: 'Blue whale',
      url: 'https://en.example/whale',
      content: 'The  largest\nanimal.',
      score: 0.9,
      raw_content: null,
    },
    { title: '', url: 'https://en.example/other', content: '', score: 0.5 },
    { title: 'Odd', url: 'javascript:alert(1)', content: 'x', score: 0.4 },
  ],
  response_time: 1.2,
};
const FOUND =
  '1. Blue whale\nhttps://en.example/whale\nThe largest animal.\n\n2. https://en.example/other\nhttps://en.example/other';

test('Tavily is asked by its key, and what it found is shown with what it cost', async () => {
  const { endpoint, arrived } = await serve({ body: TAVILY });
  const { out, run, stage } = await search(`provider = "tavily"\nurl = "${endpoint}"`, { max_results: 99 });
  expect(out).toBe(FOUND);
  expect(arrived).toEqual([
    {
      method: 'POST',
      url: '/search',
      headers: { authorization: 'Bearer key-of-tavily', 'content-type': 'application/json', accept: '*/*' },
      body: JSON.stringify({ query: 'blue whale', max_results: 20, search_depth: 'basic' }),
    },
  ]);
  // 31 tokens in, 2 out, and a credit.
  expect(run.usage?.nanoUsd).toBe(32_000 + 8_000_000);
  const [first, second] = await stage.pipeline.store.turns(run.id);
  expect([first?.nanoUsd, second?.nanoUsd]).toEqual([11_000, 21_000 + 8_000_000]);
});

test('a search is charged to the budget of its tree', async () => {
  const { endpoint } = await serve({ body: TAVILY });
  const budget = '[budget]\nmax_usd = 1\n';
  const { run, stage } = await search(`provider = "tavily"\nurl = "${endpoint}"`, {}, budget);
  const ledger = await stage.pipeline.store.ledger(run.id);
  expect(ledger?.used.nanoUsd).toBe(32_000 + 8_000_000);
});

test('Brave is asked with a key of another name', async () => {
  const results = [
    {
      type: 'search_result',
      title: 'Blue whale',
      url: 'https://en.example/whale',
      description: 'The largest animal.',
    },
    { type: 'search_result', title: 'Whales', url: 'https://en.example/whales', description: null },
  ];
  const { endpoint, arrived } = await serve({ body: { type: 'search', web: { type: 'search', results } } });
  const settings = `provider = "brave"\napi_key = "\${MY_KEY}"\nurl = "${endpoint}/"`;
  const { out } = await search(settings, { max_results: '1' });
  expect(out).toBe('1. Blue whale\nhttps://en.example/whale\nThe largest animal.');
  expect(arrived).toEqual([
    {
      method: 'GET',
      url: '/res/v1/web/search?q=blue+whale&count=1&text_decorations=false',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-subscription-token': 'key-of-mine',
      },
      body: '',
    },
  ]);
});

test('SearXNG is asked where the user has it, for JSON, and costs nothing', async () => {
  const { endpoint, arrived } = await serve({
    body: { ...TAVILY, number_of_results: 0, unresponsive_engines: [] },
  });
  const { out, run } = await search(`provider = "searxng"\nurl = "${endpoint}/sx"`, { max_results: 2 });
  expect(out).toBe(FOUND);
  expect(arrived.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/sx/search?q=blue+whale&format=json', ''],
  ]);
  expect(run.usage?.nanoUsd).toBe(32_000);
});

test.each<[string, Answer, string]>([
  ['tavily', { body: { results: [] } }, '(nothing found)'],
  ['brave', { body: { type: 'search' } }, '(nothing found)'],
  [
    'tavily',
    { status: 401, body: { detail: { error: 'bad key-of-tavily' } } },
    'Error: tavily gave no answer: auth: bad [redacted]',
  ],
  [
    'brave',
    {
      status: 422,
      body: {
        type: 'ErrorResponse',
        error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: 'The provided subscription token is invalid.' },
      },
    },
    'Error: brave gave no answer: bad_request: The provided subscription token is invalid.',
  ],
  [
    'brave',
    { status: 429, body: { error: { message: 'slow down' } } },
    'Error: brave gave no answer: rate_limit: slow down',
  ],
  [
    'searxng',
    { status: 403, body: 'Forbidden' },
    'Error: searxng gave no answer: the server answers in no JSON: add json to search.formats of its settings',
  ],
  [
    'searxng',
    { body: '<html>' },
    expect.stringMatching(/^Error: searxng gave no answer: server: failed to parse response: /),
  ],
  [
    'searxng',
    { body: { results: [{}] } },
    expect.stringMatching(
      /^Error: searxng gave no answer: server: failed to parse response: results\.0\.url: /,
    ),
  ],
  // A redirect would take the key to wherever it leads.
  ['tavily', { status: 302, location: 'http://127.0.0.1:9/' }, 'Error: tavily gave no answer: server: Found'],
  [
    'searxng',
    { body: 'x'.repeat(5 * 2 ** 20) },
    expect.stringMatching(/^Error: searxng gave no answer: server: response from .* is larger than 4 MB$/),
  ],
])('%s answers: %#', async (provider, answer, text) => {
  const { endpoint } = await serve(answer);
  const { out } = await search(
    `provider = "${provider}"\napi_key = "key-of-tavily"\nurl = "${endpoint}"`,
    {},
  );
  expect(out).toEqual(text);
});

test('what was found is cut where it is long, and is on lines of its own', async () => {
  const long = { title: 'a\n2. b'.repeat(200), url: 'https://en.example/', content: 'x'.repeat(5_000) };
  const { endpoint } = await serve({
    body: { results: [long, { ...long, url: `https://en.example/${'y'.repeat(2_000)}` }] },
  });
  const { out } = await search(`provider = "searxng"\nurl = "${endpoint}"`, {});
  const [title = '', url, excerpt] = out.split('\n');
  expect([title.length, url, excerpt, out.split('\n').length]).toEqual([
    '1. '.length + 300 + '...'.length,
    'https://en.example/',
    `${'x'.repeat(1_000)}...`,
    3,
  ]);
});

test('an API that does not answer is not waited for long', async () => {
  const { endpoint, arrived } = await serve('silence');
  const out = await inHeldTime(async (pass) => {
    const searching = search(`provider = "searxng"\nurl = "${endpoint}"`, {});
    await until(() => arrived.length > 0);
    pass(20_000);
    return (await searching).out;
  });
  expect(out).toBe('Error: searxng took longer than 20s');
});

test.each([
  [{ query: ' ' }, 'Error: there is nothing to search for: the query is empty'],
  [{ query: 'x'.repeat(401) }, 'Error: argument "query" has 401 characters, at most 400 are allowed'],
  [{ max_results: 0 }, 'Error: argument "max_results" must be a whole number of at least 1, not 0'],
])('a call that makes no sense is refused: %#', async (args, text) => {
  const { endpoint, arrived } = await serve({ body: TAVILY });
  const { out } = await search(`provider = "searxng"\nurl = "${endpoint}"`, args);
  expect([out, arrived]).toEqual([text, []]);
});

test('a key that is missing is asked for, and nobody is asked where nobody is set up', async () => {
  const { out } = await search('provider = "brave"', {});
  expect(out).toBe(
    'Error: web search by brave needs the secret BRAVE_API_KEY: set BRAVE_API_KEY in the environment, or in [secrets] of config.toml',
  );
  const stage = await openStage(
    {
      top: ({ turn, results }: Asked) => (turn === 1 ? [use('web_search', { query: 'x' })] : results.join()),
    },
    { top: 'tools = ["web_search"]\n' },
  );
  expect((await stage.run()).out.trimEnd()).toBe(
    'Error: web_search does not work here: no provider is set up for it',
  );
});
