import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/core/records/ledger.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { ModelError } from '../../../src/errors.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { startModelServer, type Reply } from '../../fixtures/model-server.ts';
import { call, openStage, type Stage, stageConfig } from '../../fixtures/stage.ts';
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
    'Error: the answer reached its token limit in the middle of this call, so the call did not run; make it again with shorter arguments',
  );
  expect(tree.map(({ agent }) => agent)).toEqual(['top', 'kid']);
});
