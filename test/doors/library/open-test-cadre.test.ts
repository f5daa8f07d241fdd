import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  call,
  ModelError,
  openTestCadre,
  type TestCadreOptions,
} from '../../../src/doors/library/testing/index.ts';
import { ConfigError } from '../../../src/errors.ts';
import { scriptedAgent } from '../../fixtures/scripted-agent.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const agent = (name: string, more = '') => `name = "${name}"\nmodel = "anthropic/claude-sonnet-4-5"\n${more}`;

async function open(agents: Record<string, string>, options: TestCadreOptions) {
  const entries = Object.entries(agents).map(([name, more]) => [`agents/${name}.toml`, agent(name, more)]);
  const folder = await tempFolder(Object.fromEntries(entries));
  const cadre = await openTestCadre({ folder, ...options });
  onTestFinished(() => cadre.close());
  return cadre;
}

test('agents answer from scripts, and what they were asked can be compared', async () => {
  const cadre = await open(
    { review: 'system_prompt = "Find risks."\nsub_agents = ["finder"]\n', finder: '' },
    {
      models: {
        review: [
          ({ prompt }) => call('call_agent', { agent: 'finder', task: prompt }),
          ({ results }) => `The finder says: ${results.join()}`,
        ],
        finder: ['three risks'],
      },
    },
  );
  const { content, run } = await cadre.run('review', { prompt: 'Any risks?' });
  expect(content).toBe('The finder says: three risks');
  expect(cadre.asked().map(({ agent: name, turn, prompt }) => `${name} ${turn}: ${prompt}`)).toEqual([
    'review 1: Any risks?',
    'finder 1: Task: Any risks?',
    'review 2: Any risks?',
  ]);
  expect(cadre.asked('review')[0]?.request).toMatchObject({ system: 'Find risks.', maxTokens: 0 });
  expect(await cadre.calls(run.id)).toEqual([
    {
      agent: 'review',
      tool: 'call_agent',
      arguments: { agent: 'finder', task: 'Any risks?' },
      result: 'three risks',
      isError: false,
    },
  ]);
});

test('a script for an agent that does not exist is refused, with the name that was meant', async () => {
  await expect(open({ review: '', finder: '' }, { models: { review: [], fnider: ['x'] } })).rejects.toThrow(
    'a script in models of openTestCadre is for no agent: agent config not found: fnider; did you mean "finder"?',
  );
});

test.each([
  [{ model: { review: [] } }, 'invalid option model: there is no such option, did you mean "models"?'],
  [{ models: { review: 'x' } }, 'invalid option models.review: expected a list of turns or a function'],
])('options that TypeScript would not let pass are refused: %j', async (options, message) => {
  // @ts-expect-error -- as JavaScript may call it
  await expect(openTestCadre(options)).rejects.toThrow(new ConfigError(message));
});

test('agents work on files of a folder of their own, which is gone afterwards', async () => {
  const cadre = await open(
    { coder: 'tools = ["files"]\n' },
    {
      files: { 'src/a.txt': 'one\n' },
      models: {
        coder: [
          call('read_file', { path: 'src/a.txt' }),
          [call('write_file', { path: 'b.txt', content: 'two' }), call('read_file', { path: '../x' })],
          ({ results }) => results.join('|'),
        ],
      },
    },
  );
  const { content, run } = await cadre.run('coder');
  expect(content).toMatch(/^created "b\.txt" \(3 bytes\)\|Error: path "\.\.\/x" is outside the workdir$/);
  expect(await readFile(join(cadre.folder, 'b.txt'), 'utf8')).toBe('two');
  const calls = await cadre.calls(run.id);
  expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
    ['read_file', false],
    ['write_file', false],
    ['read_file', true],
  ]);
  await cadre.close();
  expect(existsSync(cadre.folder)).toBe(false);
});

describe('time', () => {
  test('goes by at once where an agent waits for a throttled API', async () => {
    const cadre = await open(
      {
        patient:
          '[retry]\nmax_retries = 2\nbackoff = "fixed"\ninitial_delay_ms = 600000\nmax_delay_ms = 600000\n',
      },
      {
        models: {
          patient({ request }) {
            tries += 1;
            if (tries < 3) throw new ModelError('rate_limit', 'slow down');
            return `after ${tries} tries of ${request.messages.length} message`;
          },
        },
      },
    );
    let tries = 0;
    const began = cadre.now().getTime();
    const { content, run } = await cadre.run('patient', { timeout: 3600 });
    expect(content).toBe('after 3 tries of 1 message');
    expect(Date.parse(run.startedAt)).toBe(began);
    // Two waits of ten minutes, which are shortened by up to a half at random so that not all runs try again at once.
    const minutes = (cadre.now().getTime() - began) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(10);
    expect(minutes).toBeLessThan(31);
  });

  test('of a model is cut off by the time of its run', async () => {
    const cadre = await open(
      { slow: 'timeout = 60\n' },
      { models: { slow: [{ text: 'late', takes: 90_000 }] } },
    );
    await expect(cadre.run('slow')).rejects.toMatchObject({
      name: 'RunError',
      run: { status: 'timed_out', reason: 'timeout after 60s' },
    });
  });

  test.for(['', 'patience = "7d"\n', 'patience = 604800\n'])(
    'of a model that takes too long ends with the 120 s of its run, whatever its patience: %j',
    async (patience) => {
      const cadre = await open({ slow: patience }, { models: { slow: [{ text: 'late', takes: 600_000 }] } });
      const began = cadre.now().getTime();
      await expect(cadre.run('slow')).rejects.toMatchObject({
        run: { status: 'timed_out', reason: 'timeout after 120s', durationMs: 120_000 },
      });
      expect(cadre.now().getTime() - began).toBe(120_000);
    },
  );

  test('of a model that plays a script from a file goes by at once too', async () => {
    const folder = await tempFolder(scriptedAgent('slow', [{ text: 'late', delay_ms: 600_000 }]));
    const cadre = await openTestCadre({ folder, models: {} });
    onTestFinished(() => cadre.close());
    await expect(cadre.run('slow')).rejects.toMatchObject({
      run: { reason: 'timeout after 120s', durationMs: 120_000 },
    });
  });

  test('of a model that answers in time passes without a wait', async () => {
    const cadre = await open(
      { slow: 'timeout = 60\n' },
      { models: { slow: [{ text: 'in time', takes: 50_000 }] } },
    );
    const began = cadre.now().getTime();
    const { content, run } = await cadre.run('slow');
    expect(content).toBe('in time');
    expect(cadre.now().getTime() - began).toBe(50_000);
    expect(run.durationMs).toBe(50_000);
  });

  test('of a sub-agent ends with that of its caller, however long the caller took before', async () => {
    const task = call('call_agent', { agent: 'slow', task: 'x' });
    const cadre = await open(
      { top: 'timeout = 900\nsub_agents = ["slow"]\n', slow: 'timeout = 900\n' },
      {
        models: {
          top: [{ takes: 600_000, calls: [task] }, 'done'],
          slow: [{ text: 'late', takes: 800_000 }],
        },
      },
    );
    const began = cadre.now().getTime();
    const { content, run } = await cadre.run('top');
    expect(content).toBe('done');
    expect(await cadre.calls(run.id)).toMatchObject([{ tool: 'call_agent', isError: true }]);
    expect(cadre.now().getTime() - began).toBeLessThan(900_000);
  });

  test("for a person's answer runs out, unless it comes", async () => {
    const scripts: TestCadreOptions = {
      models: { asker: [call('ask_user', { question: 'Which?' }), ({ results }) => results.join()] },
    };
    const asker = { asker: 'tools = ["ask_user"]\npatience = "1h"\n' };
    const alone = await open(asker, scripts);
    const told: string[] = [];
    const left = await alone.run('asker', { onEvent: ({ type }) => told.push(type) });
    expect(left.content).toBe('(question could not be answered)');
    expect(told.filter((type) => type.startsWith('question_'))).toEqual([
      'question_asked',
      'question_answered',
    ]);
    const answered = await open(asker, scripts);
    const { content } = await answered.run('asker', {
      onEvent: (event) => {
        if (event.type === 'question_asked') void answered.answer(event, 'the red one');
      },
    });
    expect(content).toBe('the red one');
  });
});

describe('a question of an agent with days of patience', () => {
  const DAYS: Record<string, string> = { asker: 'tools = ["ask_user"]\npatience = "7d"\n' };
  const scripts: TestCadreOptions = {
    models: { asker: [call('ask_user', { question: 'Which?' }), ({ results }) => results.join()] },
  };

  test('stays open while the test does not wait for its run', async () => {
    const cadre = await open(DAYS, scripts);
    const began = cadre.now();
    const { id, result } = await cadre.start('asker');
    const [question] = await vi.waitUntil(async () => nonEmpty(await cadre.questions()));
    for (let round = 0; round < 50; round++) await setImmediate();
    expect(cadre.now()).toEqual(began);
    expect(await cadre.show(id)).toMatchObject({ run: { status: 'running', durationMs: 0 } });
    await cadre.pass('6d');
    expect(cadre.now().getTime() - began.getTime()).toBe(6 * 86_400_000);
    await cadre.answer(question, 'the red one');
    expect(await result()).toMatchObject({ content: 'the red one' });
  });

  test('stays open while what has happened is looked at', async () => {
    const cadre = await open(DAYS, scripts);
    const began = cadre.now();
    const { id, result } = await cadre.start('asker');
    for await (const event of cadre.watch(id)) {
      if (event.type !== 'question_asked') continue;
      for (let round = 0; round < 50; round++) await setImmediate();
      await cadre.answer(event, 'the red one');
    }
    expect(await result()).toMatchObject({ content: 'the red one' });
    expect(cadre.now()).toEqual(began);
  });

  test('stays open while a listener is at work', async () => {
    const cadre = await open(DAYS, scripts);
    const { content } = await cadre.run('asker', {
      async onEvent(event) {
        if (event.type !== 'question_asked') return;
        for (let round = 0; round < 50; round++) await setImmediate();
        await cadre.answer(event, 'the red one');
      },
    });
    expect(content).toBe('the red one');
  });

  test.for([3600, '1h'])(
    'waits as long as its run is told, if its file does not say: %j',
    async (patience) => {
      const cadre = await open({ asker: 'tools = ["ask_user"]\n' }, scripts);
      const began = cadre.now().getTime();
      const { content } = await cadre.run('asker', { patience });
      expect(content).toBe('(question could not be answered)');
      expect(cadre.now().getTime() - began).toBe(3_600_000);
    },
  );

  test.for([-1, 0.5, 'an hour', 1e9])('is not asked where that is no duration: %j', async (patience) => {
    const cadre = await open(DAYS, scripts);
    const reason = 'expected a duration such as "30s", "5m", "1h" or "7d", or at most 864000 seconds';
    await expect(cadre.run('asker', { patience })).rejects.toThrow(`invalid option patience: ${reason}`);
    expect(() => cadre.pass(patience)).toThrow(`invalid option duration: ${reason}`);
  });
});

function nonEmpty<T>(list: T[]): [T, ...T[]] | undefined {
  const [first, ...others] = list;
  return first && [first, ...others];
}

test('a script that is at its end says so, and so does an agent without one', async () => {
  const cadre = await open(
    { top: 'sub_agents = ["other"]\n', other: '' },
    { models: { top: [[call('x')]] } },
  );
  await expect(cadre.run('top')).rejects.toThrow(
    'bad_request: the script of agent "top" ends after 1 turn but was asked for turn 2',
  );
  await expect(cadre.run('other')).rejects.toThrow(
    'the model of agent "other" has no script; add one to models of openTestCadre',
  );
});

test('a budget in dollars holds at the prices of the model that the agent names', async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
  const cadre = await open(
    { dear: '[budget]\nmax_usd = 10\n' },
    { models: { dear: [{ text: 'dear', usage }] } },
  );
  const { run } = await cadre.run('dear', { prompt: 'x' });
  expect(run).toMatchObject({ usage: { usd: 4.5 } });
});
