import { describe, expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { free } from '../../../src/core/records/ledger.ts';
import { seconds } from '../../../src/core/records/times.ts';
import {
  startBatchServer,
  type BatchServer,
  type BatchServerOptions,
  type Fate,
} from '../../fixtures/batch-server.ts';
// Loaded on demand, which takes its time, while that of the tests passes.
import '../../../src/core/batches/advance-bucket.ts';
import '../../../src/core/lifecycle/await-batch.ts';
import '../../../src/core/spending/reserve.ts';
import '../../../src/core/turn/batched-turn.ts';
import '../../../src/providers/anthropic/batches.ts';
import { inHeldTime, until } from '../../fixtures/held-time.ts';
import { openStage, openStageIn, type Stage } from '../../fixtures/stage.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';
const agent = (name: string, more = '') => `name = "${name}"\nmodel = "${MODEL}"\n${more}`;
const batched = (more = '') => agent('top', `${more}\n[params]\nservice = "batch"\n`);

type Content = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object };

function message(content: Content[], usage: object = {}): Fate {
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const counts = { input_tokens: 1_000, output_tokens: 100, ...usage };
  return { message: { id: 'm', type: 'message', role: 'assistant', content, stop_reason, usage: counts } };
}

const said = (text: string, usage?: object) => message([{ type: 'text', text }], usage);
const calling = (...agents: string[]) =>
  message(
    agents.map((name, index) => ({
      type: 'tool_use',
      id: `c${index}`,
      name: 'call_agent',
      input: { agent: name, task: 'go' },
    })),
  );

const overloaded: Fate = { error: { type: 'overloaded_error', message: 'busy' } };

async function open(options: Partial<BatchServerOptions>, files: Record<string, string> = {}) {
  const server = await startBatchServer({ answer: () => said('hello'), ...options });
  onTestFinished(() => server.close());
  const stage = await openStage(
    {},
    {},
    {
      'agents/top.toml': batched(),
      'no-config/cadre/config.toml': `[providers.anthropic]\napi_key = "a-key-of-ours"\nbase_url = "${server.url}"\n`,
      ...files,
    },
  );
  return { server, stage };
}

/** Seconds pass in each turn of the event loop. */
const passing = <T>(work: () => Promise<T>) => inHeldTime(work, 2_000);
const run = (stage: Stage, ...given: Parameters<Stage['run']>) => passing(() => stage.run(...given));

/** Of 1,000 tokens and 100 more, at $3 and $15 for a million. */
const FULL_PRICE = 3_000_000 + 1_500_000;

const sizes = ({ batches }: BatchServer) => batches.map(({ requests }) => requests.length);

describe('an agent whose turns are asked in batches', () => {
  test('waits for its batch, and pays half', async () => {
    const { server, stage } = await open({});
    const ended = await run(stage);
    expect(ended).toMatchObject({ code: EXIT.success, out: 'hello', err: '' });
    expect({ alone: server.alone, batches: sizes(server) }).toEqual({ alone: [], batches: [1] });
    expect(ended.run.usage).toMatchObject({ turns: 1, nanoUsd: FULL_PRICE / 2 });
    const states = stage.histories(ended.run.id).get(ended.run.id) ?? [];
    const entered = states.flatMap(
      (event) => JSON.stringify(event).match(/(?<="stateEnteredEventDetails":\{"name":")[^"]+/) ?? [],
    );
    expect(entered).toEqual([
      'Open',
      'Take turn',
      'What next?',
      'Await batch',
      'Take turn',
      'What next?',
      'Answered',
    ]);
  });

  test('asks for a cache of an hour, and pays for what is kept so long', async () => {
    const usage = {
      input_tokens: 0,
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_1h_input_tokens: 1_000, ephemeral_5m_input_tokens: 0 },
    };
    const { server, stage } = await open(
      { answer: () => said('hello', usage) },
      { 'agents/top.toml': batched('system_prompt = "be brief"') },
    );
    const ended = await run(stage);
    expect(server.batches[0]?.requests).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        params: {
          model: 'claude-sonnet-4-5',
          max_tokens: 4096,
          system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
          messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
        },
      },
    ]);
    // Twice the price of a token, of which a batch takes half.
    expect(ended.run.usage.nanoUsd).toBe(3_000_000 + 1_500_000 / 2);
  });

  test('asks for no cache once its batches take longer than a cache keeps', async () => {
    const ofAnHour = ({ createdAt }: { createdAt: number }) => Date.now() - createdAt > 3_600_000;
    const { server, stage } = await open(
      {
        isOver: (batch) => batch.id !== 'batch_1' || ofAnHour(batch),
        answer: (params) =>
          /"tool_result"|"one"/.test(JSON.stringify([params['messages'], params['system']]))
            ? said('done')
            : calling('one'),
      },
      {
        'agents/top.toml': batched('system_prompt = "top"\nsub_agents = ["one"]'),
        'agents/one.toml': agent('one', 'system_prompt = "one"\n'),
      },
    );
    await run(stage);
    const isCached = server.batches.flatMap(({ requests }) =>
      requests.map(({ params }) => JSON.stringify(params).includes('"cache_control"')),
    );
    // The first turn of each agent knows nothing yet.
    expect(isCached).toEqual([true, true, false]);
  });

  test('has its sub-agents wait for the same batches, unless their files say otherwise', async () => {
    const { server, stage } = await open(
      {
        answer({ messages, system }) {
          const isTop = JSON.stringify(system ?? '').includes('top');
          return isTop && JSON.stringify(messages).includes('"tool_result"') === false
            ? calling('one', 'two', 'three')
            : said('done');
        },
      },
      {
        'agents/top.toml': batched('system_prompt = "top"\nsub_agents = ["one", "two", "three"]'),
        'agents/one.toml': agent('one'),
        'agents/two.toml': agent('two', '[params]\nservice = ""\n'),
        'agents/three.toml': agent('three', '[params]\nservice = "standard"\n'),
      },
    );
    const ended = await run(stage);
    expect(ended).toMatchObject({ code: EXIT.success, out: 'done' });
    expect({ batches: sizes(server), alone: server.alone.length }).toEqual({ batches: [1, 2, 1], alone: 1 });
    expect(ended.tree.map(({ agent: name, usage }) => [name, usage.nanoUsd])).toEqual([
      ['top', FULL_PRICE],
      ['one', FULL_PRICE / 2],
      ['two', FULL_PRICE / 2],
      ['three', FULL_PRICE],
    ]);
  });

  test('is one only for a run where its caller says so', async () => {
    const { server, stage } = await open({}, { 'agents/top.toml': agent('top') });
    await run(stage, { overrides: { service: 'batch' } });
    expect(sizes(server)).toEqual([1]);
    await run(stage);
    expect({ batches: sizes(server), alone: server.alone.length }).toEqual({ batches: [1], alone: 1 });
  });
});

describe('a request whose batch did not answer it', () => {
  const answered =
    (fate: Fate): BatchServerOptions['answer'] =>
    (_, batch) =>
      batch === undefined ? said('alone') : fate;

  test('is asked alone, at the full price, where the batch expired', async () => {
    const { server, stage } = await open({ answer: answered('expired') });
    const ended = await run(stage);
    expect(ended).toMatchObject({
      code: EXIT.success,
      out: 'alone',
      run: { usage: { turns: 1, nanoUsd: FULL_PRICE } },
    });
    expect(server.alone).toHaveLength(1);
  });

  test('fails its run for a fault that may pass, unless the agent tries again', async () => {
    const { stage } = await open({ answer: answered(overloaded) });
    expect(await run(stage)).toMatchObject({ code: EXIT.api, err: 'Error: agent "top": overloaded: busy\n' });
    const { server, stage: patient } = await open(
      { answer: answered(overloaded) },
      { 'agents/top.toml': batched('[retry]\nmax_retries = 1') },
    );
    expect(await run(patient)).toMatchObject({ code: EXIT.success, out: 'alone' });
    expect({ batches: sizes(server), alone: server.alone.length }).toEqual({ batches: [1], alone: 1 });
  });

  test('pays half for an answer of its batch that nobody can read', async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
    const server = await startBatchServer({ answer: () => ({ message: { id: 'c', choices: [], usage } }) });
    onTestFinished(() => server.close());
    const stage = await openStage(
      {},
      {},
      {
        'agents/top.toml':
          'name = "top"\nmodel = "openai/gpt-4.1"\n[budget]\nmax_usd = 1\n[params]\nservice = "batch"\napi = "chat"\n',
        'no-config/cadre/config.toml': `[providers.openai]\napi_key = "a-key-of-ours"\nbase_url = "${server.url}/v1"\n`,
      },
    );
    const { run: ended } = await run(stage);
    expect({ alone: server.alone.length, batches: sizes(server) }).toEqual({ alone: 0, batches: [1] });
    // At $2 and $8 for a million.
    expect((await stage.pipeline.store.ledger(ended.id))?.used.nanoUsd).toBe((2_000_000 + 800_000) / 2);
  });

  test('is asked alone where the API takes no part of the batch, or refused it there', async () => {
    const { stage } = await open({ creating: () => ({ status: 400 }) });
    expect(await run(stage)).toMatchObject({ code: EXIT.success, out: 'hello' });
    const refused: Fate = { error: { type: 'invalid_request_error', message: 'no such beta' } };
    const { stage: other } = await open({ answer: answered(refused) });
    expect(await run(other)).toMatchObject({ code: EXIT.success, out: 'alone' });
  });

  test('is asked alone when half of its time is over, and what comes after that is charged', async () => {
    const { server, stage } = await open({
      // It is cancelled, since nobody waits for it any longer, and was answered a moment before.
      isOver: ({ isCancelled }) => isCancelled,
      answer: (_, batch) => said(batch === undefined ? 'alone' : 'late'),
    });
    const { store } = stage.pipeline;
    const ended = await passing(async () => {
      const first = await stage.run({ overrides: { timeout: seconds(20_000), budget: { nanoUsd: 1e9 } } });
      await until(async () => (await store.run(first.run.id))?.unused !== undefined);
      return first;
    });
    expect(ended).toMatchObject({ out: 'alone', run: { usage: { turns: 1, nanoUsd: FULL_PRICE } } });
    expect(server.batches).toHaveLength(1);
    const [record, ledger] = [await store.run(ended.run.id), await store.ledger(ended.run.id)];
    expect(record?.usage.nanoUsd).toBe(FULL_PRICE * 1.5);
    expect(ledger && { left: free(ledger).nanoUsd, reserved: ledger.reserved }).toEqual({
      left: 1e9 - FULL_PRICE * 1.5,
      reserved: {},
    });
  });
});

describe('the creation of a batch', () => {
  test('whose outcome is unknown is looked for, and not repeated where it shows', async () => {
    const { server, stage } = await open({
      creating: (index) => (index === 0 ? 'answer is lost' : 'nothing'),
    });
    expect(await run(stage)).toMatchObject({ code: EXIT.success, out: 'hello' });
    expect({ batches: sizes(server), alone: server.alone }).toEqual({ batches: [1], alone: [] });
  });

  test('is repeated where none shows', async () => {
    const { server, stage } = await open({
      creating: (index) => (index === 0 ? { status: 500 } : 'nothing'),
    });
    expect(await run(stage)).toMatchObject({ code: EXIT.success, out: 'hello' });
    expect({ batches: sizes(server), alone: server.alone }).toEqual({ batches: [1], alone: [] });
  });
});

describe('a run that waits for a batch', () => {
  test('goes on in another process, with the same batch', async () => {
    let isOver = false;
    const { server, stage } = await open({ isOver: () => isOver });
    const ended = await passing(async () => {
      void stage.run().catch(() => {});
      await until(() => server.batches.length === 1);
      const left = await stage.pipeline.leave();
      for (const root of left) await stage.pipeline.local.locks.release(root);
      isOver = true;
      const other = await openStageIn(stage.cwd, {});
      return other.resume(left[0] ?? '');
    });
    expect(ended).toMatchObject({ out: 'hello', run: { status: 'succeeded', usage: { turns: 1 } } });
    expect({ batches: sizes(server), alone: server.alone }).toEqual({ batches: [1], alone: [] });
  });

  test('takes what its batch has answered although nobody looked until its time to wait was over', async () => {
    let isOver = false;
    const { server, stage } = await open({ isOver: () => isOver });
    const ended = await inHeldTime(async (pass) => {
      void stage.run().catch(() => {});
      await until(() => server.batches.length === 1);
      const left = await stage.pipeline.leave();
      for (const root of left) await stage.pipeline.local.locks.release(root);
      isOver = true;
      pass(2 * 86_400_000);
      const other = await openStageIn(stage.cwd, {});
      return other.resume(left[0] ?? '');
    }, 2_000);
    expect(ended).toMatchObject({
      out: 'hello',
      run: { status: 'succeeded', usage: { nanoUsd: FULL_PRICE / 2 } },
    });
    expect({ batches: sizes(server), alone: server.alone }).toEqual({ batches: [1], alone: [] });
  });

  test('is stopped, its batch is cancelled, and what was answered all the same is charged', async () => {
    const { server, stage } = await open({ isOver: ({ isCancelled }) => isCancelled });
    const io = stage.io();
    const { store } = stage.pipeline;
    const ended = await passing(async () => {
      const running = stage.run({ overrides: { budget: { nanoUsd: 1e9 } } }, io);
      await until(() => server.batches.length === 1);
      io.interrupt();
      const stopped = await running;
      await until(async () => (await store.run(stopped.run.id))?.unused !== undefined);
      return stopped;
    });
    expect(ended).toMatchObject({ code: EXIT.interrupted, run: { status: 'stopped' } });
    expect(server.batches).toMatchObject([{ isCancelled: true }]);
    expect((await store.run(ended.run.id))?.usage.nanoUsd).toBe(FULL_PRICE / 2);
    expect((await store.ledger(ended.run.id))?.reserved).toEqual({});
  });
});
