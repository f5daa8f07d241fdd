import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { free, type Ledger } from '../../../src/core/records/ledger.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { ModelError } from '../../../src/errors.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { startModelServer, type Reply } from '../../fixtures/model-server.ts';
import { call, openStage, type Stage, stageConfig } from '../../fixtures/stage.ts';
import { SPEECHES, type Speech, type Spoken, type Stream } from '../../providers/streams.ts';
import { stubAws, WIRES, type Wire } from '../../providers/wires.ts';

const LIMIT = 1_910;
const PATIENT = '[retry]\nmax_retries = 9\nbackoff = "fixed"\ninitial_delay_ms = 1\n';

async function ledgerOf(stage: Stage, root: string): Promise<Ledger> {
  const ledger = await stage.pipeline.store.ledger(root);
  if (ledger === undefined) throw new Error(`run ${root} has no ledger`);
  return ledger;
}

/** Runs an agent whose model is reached by a wire, which answers always the same. */
async function runOver({ model, request }: Wire, reply: Reply, retry: string) {
  stubAws();
  const provider = model.slice(0, model.indexOf('/'));
  const server = await startModelServer(() => reply);
  const api = request?.api === undefined ? '' : `api = "${request.api}"\n`;
  const stage = await openStage(
    {},
    {},
    {
      'agents/top.toml': `name = "top"\nmodel = "${model}"\n[params]\nmax_tokens = 500\n${api}${retry}[budget]\nmax_tokens = ${LIMIT}\n`,
      'no-config/cadre/config.toml': `[providers.${provider}]\napi_key = "a-key"\nbase_url = "${server.url}"\n`,
    },
  );
  // Time flies, of which retries wait for a whole second.
  const ended = await inHeldTime(() => stage.run(), 1);
  await server.close();
  const sent = server.requests.filter(({ path }) => !/count.tokens$/.test(path)).length;
  return { ended, sent, ledger: await ledgerOf(stage, ended.run.id) };
}

describe.each(Object.entries(WIRES))('an answer of %s that cannot be used', (_, wire) => {
  test('is charged each time it comes, so that a run that asks again does not pass its budget', async () => {
    const reply = { body: { ...wire.empty, ...wire.usage } };
    const { ended, sent, ledger } = await runOver(wire, reply, PATIENT);
    expect(ended).toMatchObject({ code: EXIT.budget, run: { usage: { turns: 0, inputTokens: 0 } } });
    expect(ledger).toMatchObject({ used: { tokens: sent * 950, turns: 0 } });
    expect(ledger.used.tokens).toBeLessThanOrEqual(LIMIT);
    expect(sent).toBe(2);
  });

  test('costs all that was reserved where it does not say what it costs', async () => {
    const { ended, ledger } = await runOver(wire, { cutAfter: '{"usage": {' }, '');
    expect(ended.code).toBe(EXIT.api);
    expect(ledger.used.tokens).toBeGreaterThan(500);
    expect(ledger.used.tokens).toBeLessThan(1_000);
    expect(ledger).toMatchObject({ used: { turns: 0 } });
  });
});

/** A wire's counts with another value in place of each number. */
function countedAs(usage: object, value: unknown): object {
  const json = JSON.stringify(usage, (_, count: unknown) => (typeof count === 'number' ? value : count));
  return v.parse(v.pipe(v.string(), v.parseJson(), v.looseObject({})), json);
}

const SPOKEN: Spoken = { thought: '', text: 'Done.', calls: [], pieceLength: 5 };

/** Each count of a stream as 0. */
function withoutCounts({ contentType, bytes }: Stream): Reply {
  const text = new TextDecoder().decode(bytes).replaceAll(/("\w*(?:tokens|eval_count)"):\d+/g, '$1:0');
  return { contentType, bytes: new TextEncoder().encode(text) };
}

const UNKNOWN: [string, (wire: Wire, speech: Speech) => Reply][] = [
  ['nothing', ({ plain }) => ({ body: plain })],
  ['0', ({ plain, usage }) => ({ body: { ...plain, ...countedAs(usage, 0) } })],
  ['-1000', ({ plain, usage }) => ({ body: { ...plain, ...countedAs(usage, -1000) } })],
  ['null', ({ plain, usage }) => ({ body: { ...plain, ...countedAs(usage, null) } })],
  ['1e300', ({ plain, usage }) => ({ body: { ...plain, ...countedAs(usage, 1e300) } })],
  ['0, in a stream,', (_, speech) => withoutCounts(speech.stream(SPOKEN))],
];

describe.each(Object.entries(WIRES))('an answer of %s', (name, wire) => {
  // Bedrock's streams have check sums.
  const ways = UNKNOWN.filter(([way]) => name !== 'bedrock' || !way.includes('stream'));

  test.each(ways)('that counts %s costs all that was reserved', async (_, answer) => {
    const speech = SPEECHES[name];
    if (speech === undefined) throw new Error(`no stream is written for ${name}`);
    const { ended, ledger } = await runOver(wire, answer(wire, speech), '');
    expect(ended.code).toBe(EXIT.success);
    // The longest answer that was asked for, and a prompt.
    expect(ledger.used.tokens).toBeGreaterThan(500);
    expect(ledger).toMatchObject({ used: { turns: 1 }, reserved: {} });
  });

  test('that counts more than was reserved is charged as it is, and its tree stops', async () => {
    const body = { ...wire.plain, ...countedAs(wire.usage, 5_000) };
    const { ended, ledger } = await runOver(wire, { body }, '');
    expect(ended.code).toBe(EXIT.success);
    expect(ledger.used.tokens).toBeGreaterThanOrEqual(10_000);
    expect(free(ledger).tokens).toBe(0);
  });
});

test('a conversation whose provider counts nothing ends within its budget', async () => {
  const description = 'A tool whose schema is long. '.repeat(100);
  let delivered = 0;
  const server = await startModelServer(({ body }) => {
    delivered += JSON.stringify(body).length / 6;
    const call = {
      id: `c${delivered}`,
      type: 'function',
      function: { name: 'list_directory', arguments: '{}' },
    };
    return { body: { choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] } };
  });
  onTestFinished(() => server.close());
  const stage = await openStage(
    {},
    {},
    {
      'agents/top.toml': `name = "top"\nmodel = "openai/gpt-4o"\ntools = ["list_directory"]\n[[functions]]\nname = "f"\ndescription = "${description}"\nfile = "f.ts"\n[params]\nmax_tokens = 100\napi = "chat"\n[budget]\nmax_tokens = 10_000\n`,
      'f.ts': 'export const handler = () => 1;',
      'no-config/cadre/config.toml': `[providers.openai]\napi_key = "a-key"\nbase_url = "${server.url}"\n`,
    },
  );
  const { code } = await stage.run();
  expect(code).toBe(EXIT.budget);
  expect(delivered).toBeGreaterThan(500);
  expect(delivered).toBeLessThan(10_000);
});

test('an answer that cannot be used is charged in dollars too', async () => {
  const price = '[prices."stage/top"]\ninput = 2\noutput = 10\ncache_read = 0\ncache_write = 0\n';
  const stage = await openStage(
    {
      top: () => {
        throw new ModelError('server', 'nothing in it', { spent: { inputTokens: 100, outputTokens: 20 } });
      },
    },
    { top: '[budget]\nmax_usd = 1.0\n' },
    stageConfig(price),
  );
  const { run } = await stage.run();
  expect(await ledgerOf(stage, run.id)).toMatchObject({
    used: { tokens: 120, nanoUsd: 100 * 2_000 + 20 * 10_000, turns: 0, toolCalls: 0 },
  });
});

test('a call that was cut off is not carried out, and the model hears why', async () => {
  const stage = await openStage(
    {
      top: ({ turn, results }) =>
        turn === 1 ? [call('kid', 'one'), { ...call('kid', 'tw'), cut: true }] : results.join('\n'),
      kid: ({ message }) => `did ${message}`,
    },
    { top: 'sub_agents = ["kid"]\n', kid: '' },
  );
  const { out, tree } = await stage.run();
  expect(out).toContain('did ');
  expect(out).toContain(
    'Error: the arguments of this call are no whole JSON object, so it did not run; make it again, with shorter ones if the answer was cut',
  );
  expect(tree.map(({ agent }) => agent)).toEqual(['top', 'kid']);
});
