import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spending } from '../../../src/core/spending/refusal.ts';
import { free, type Ledger } from '../../../src/core/records/ledger.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { ModelError, StoreError } from '../../../src/errors.ts';
import { cases } from '../../fixtures/cases.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import {
  call,
  openStage,
  silence,
  type Line,
  type Role,
  type Stage,
  stageConfig,
} from '../../fixtures/stage.ts';

const subAgents = (...names: string[]) => `sub_agents = ${JSON.stringify(names)}\n`;
const budget = (limits: string) => `[budget]\n${limits}\n`;
/** An answer that takes as many tokens as it says. */
const saying = (text: string, inputTokens: number, outputTokens: number): Line => ({
  text,
  usage: { inputTokens, outputTokens },
});

async function ledgerOf(stage: Stage, run: string): Promise<Ledger> {
  const ledger = await stage.pipeline.store.ledger(run);
  if (ledger === undefined) throw new Error(`run ${run} has no ledger`);
  return ledger;
}

describe('a budget', () => {
  test('that is large enough changes nothing', async () => {
    const stage = await openStage({ top: () => saying('done', 5, 5) }, { top: budget('max_tokens = 10000') });
    const ended = await stage.run();
    expect(ended).toMatchObject({ code: EXIT.success, out: 'done', err: '', run: { status: 'succeeded' } });
    expect(await ledgerOf(stage, ended.run.id)).toEqual({
      received: { tokens: 10000, runs: 1000 },
      returned: { tokens: 0, nanoUsd: 0, turns: 0, toolCalls: 0, runs: 0 },
      used: { tokens: 10, nanoUsd: 0, turns: 1, toolCalls: 0, runs: 0 },
      reserved: {},
      shares: {},
      settled: 1,
    });
  });

  test('of tokens ends the run with what there is so far, and with exit code 4', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) =>
          turn === 1
            ? { text: 'so far', calls: [call('kid', 'x')], usage: { inputTokens: 400, outputTokens: 90 } }
            : saying('more', 1, 1),
        kid: () => saying('found', 1000, 500),
      },
      { top: `${subAgents('kid')}${budget('max_tokens = 30000')}`, kid: '' },
      {},
    );
    const ended = await stage.run({ overrides: { budget: { tokens: 2_500 } } });
    // The ids of calls are longer the more of them there have been.
    const text =
      'budget exceeded: used 1990 of 2500 tokens, 510 left; the next call could cost up to 46\\d\\d';
    expect(ended).toMatchObject({
      code: EXIT.budget,
      out: 'so far',
      err: expect.stringMatching(new RegExp(`^${text}\n$`)),
      run: { status: 'budget_exceeded', exceeded: expect.stringMatching(new RegExp(`^${text}$`)) },
    });
  });

  test('limits the length of an answer to what is left', async () => {
    const stage = await openStage({ top: () => saying('done', 5, 5) }, { top: budget('max_tokens = 600') });
    await stage.run({ prompt: 'x'.repeat(100) });
    const maxTokens = stage.asked[0]?.request.maxTokens ?? 0;
    expect(maxTokens).toBeGreaterThan(300);
    expect(maxTokens).toBeLessThanOrEqual(500);
  });

  test('of turns binds the whole tree, and a sub-agent that it ends is told to its parent', async () => {
    const stage = await openStage(
      {
        top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : saying(results.join(), 1, 1)),
        kid: ({ turn }) => (turn === 1 ? { text: 'half', calls: [call('kid', 'y')] } : 'never'),
      },
      {
        top: `${subAgents('kid')}${budget('max_turns = 2')}`,
        kid: `${subAgents('nobody')}${budget('max_turns = 99')}`,
      },
    );
    const ended = await stage.run();
    expect(ended.tree.map(({ agent, status, exceeded }) => ({ agent, status, exceeded }))).toEqual([
      { agent: 'top', status: 'budget_exceeded', exceeded: 'budget exceeded: used 2 of 2 turns' },
      { agent: 'kid', status: 'budget_exceeded', exceeded: 'budget exceeded: used 2 of 2 turns' },
    ]);
    expect(ended.code).toBe(EXIT.budget);
  });

  test("of a schedule takes the place of the agent's own", async () => {
    const stage = await openStage({ top: () => saying('done', 5, 5) }, { top: budget('max_tokens = 9000') });
    const id = 'top-00000000000001';
    const input = { agent: 'top', prompt: 'go', budget: { tokens: 600 } };
    const execution = await stage.pipeline.executions.start(id, input);
    await stage.pipeline.executions.wait(execution);
    expect((await ledgerOf(stage, id)).received).toEqual({ tokens: 600, runs: 1000 });
  });

  test('of dollars limits the answer to what is left of it, and counts what was spent', async () => {
    const price = '[prices."stage/top"]\ninput = 0\noutput = 1000\ncache_read = 0\ncache_write = 0\n';
    const stage = await openStage(
      { top: ({ request }) => saying('dear', 9, request.maxTokens) },
      { top: budget('max_usd = 0.05') },
      stageConfig(price),
    );
    const ended = await stage.run();
    expect(ended).toMatchObject({ code: EXIT.success, out: 'dear' });
    expect(stage.asked[0]?.request.maxTokens).toBe(50);
    expect((await ledgerOf(stage, ended.run.id)).used.nanoUsd).toBe(50_000_000);
  });

  test('of dollars is refused for a model whose price is not known', async () => {
    const stage = await openStage({ top: () => 'never' }, { top: budget('max_usd = 0.50') });
    expect(await stage.run()).toMatchObject({
      code: EXIT.configuration,
      err: 'Error: max_usd cannot be enforced: the price of "stage/top" is not known; set [prices."stage/top"] in config.toml, or limit tokens\n',
    });
    expect(stage.asked).toEqual([]);
  });

  test('of calls stops before the calls that would pass it', async () => {
    const stage = await openStage(
      { top: () => [call('kid', 'x'), call('kid', 'y'), call('kid', 'z')], kid: () => 'ran' },
      { top: `${subAgents('kid')}${budget('max_tool_calls = 2')}`, kid: '' },
    );
    const ended = await stage.run();
    expect(ended).toMatchObject({ code: EXIT.budget, err: 'budget exceeded: used 0 of 2 tool calls\n' });
    expect(ended.tree).toHaveLength(1);
  });

  test('gets back what a failed call reserved', async () => {
    const stage = await openStage(
      {
        top: () => {
          throw new ModelError('server', 'no');
        },
      },
      { top: budget('max_tokens = 1000') },
    );
    const ended = await stage.run();
    expect(ended.code).toBe(EXIT.api);
    expect(await ledgerOf(stage, ended.run.id)).toMatchObject({ used: { tokens: 0 }, reserved: {} });
  });

  test('is charged for an answer that could not be kept', async () => {
    const stage = await openStage(
      { top: () => ({ calls: [call('kid', 'x')], usage: { inputTokens: 30, outputTokens: 12 } }) },
      { top: `${subAgents('kid')}${budget('max_tokens = 9000')}` },
    );
    stage.pipeline.store.saveTurn = () => Promise.reject(new StoreError('the disk is full'));
    const ended = await stage.run();
    expect(ended).toMatchObject({ code: EXIT.agent, err: 'Error: the disk is full\n' });
    const { used, reserved } = await ledgerOf(stage, ended.run.id);
    expect({ tokens: used.tokens, reserved }).toEqual({ tokens: 42, reserved: {} });
  });

  test('is charged for a call that is no longer awaited, since its answer may be paid', async () => {
    const io = recordedIo('/nowhere');
    const stage = await openStage(
      { top: (asked) => (io.interrupt(), silence(asked)) },
      { top: budget('max_tokens = 1000') },
    );
    const ended = await stage.run({}, { ...io, cwd: stage.cwd });
    expect(ended.run.status).toBe('stopped');
    expect(free(await ledgerOf(stage, ended.run.id)).tokens).toBe(0);
  });

  test('gets back what was reserved for a call that a stop left unmade', async () => {
    const stage = await openStage({ top: silence }, { top: budget('max_tokens = 1000') });
    stage.onEvent(({ type }) => type === 'turn_started' && stage.pipeline.machines.stopAll('enough'));
    const ended = await stage.run();
    expect(ended.run.status).toBe('stopped');
    expect(await ledgerOf(stage, ended.run.id)).toMatchObject({ used: { tokens: 0 }, reserved: {} });
  });

  test('holds for random trees with faults, in parallel: never over, nothing left reserved', async () => {
    const shape = fc.record({
      limit: fc.integer({ min: 400, max: 8_000 }),
      fanOut: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }),
      turns: fc.integer({ min: 1, max: 3 }),
      failing: fc.integer({ min: 2, max: 7 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ limit, fanOut, turns, failing, share }) => {
        let asked = 0;
        const role =
          (level: number): Role =>
          async ({ turn, request }) => {
            await new Promise(setImmediate);
            if (++asked % failing === 0) throw new ModelError('overloaded', 'busy');
            const calls = Array.from({ length: turn <= turns ? (fanOut[level] ?? 0) : 0 }, () =>
              call(`l${level + 1}`, 'x'),
            );
            const tokensOf = (value: unknown) => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 2);
            const answer = { text: `level ${level}`, calls };
            // An answer's text comes out of its tokens: one that has too few of them has none.
            const fits = tokensOf(answer) <= request.maxTokens;
            const most = Math.ceil(request.maxTokens * share);
            const usage = {
              inputTokens: tokensOf(request.messages),
              outputTokens: fits ? Math.max(tokensOf(answer), most) : request.maxTokens,
            };
            return fits ? { ...answer, usage } : { text: '', usage };
          };
        const stage = await openStage(
          { top: role(0), l1: role(1), l2: role(2), l3: role(3) },
          {
            top: `${subAgents('l1')}${budget(`max_tokens = ${limit}\nmax_tool_calls = 20`)}`,
            l1: subAgents('l2'),
            l2: subAgents('l3'),
          },
        );
        // Locks of others and busy models are waited for.
        const { run, tree } = await inHeldTime(() => stage.run(), 10);
        const { store } = stage.pipeline;
        const ledgers = await Promise.all(tree.map(({ id }) => store.ledger(id)));
        expect(ledgers.flatMap((ledger) => Object.keys(ledger?.reserved ?? {}))).toEqual([]);
        const tokens = (await spending(run.id, store)).used.tokens;
        expect(tokens).toBeLessThanOrEqual(limit);
        expect((await spending(run.id, store)).used.toolCalls).toBeLessThanOrEqual(20);
        expect(tokens).toBe(tree.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0));
      }),
      { numRuns: cases(10) },
    );
  });
});
