import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand, type Command } from '../../fixtures/command.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { latch } from '../../fixtures/stage.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { nightlyTest, sample } from '../../fixtures/nightly.ts';

const Request = v.object({
  model: v.string(),
  messages: v.array(v.object({ role: v.string(), content: v.string() })),
});

interface Answer {
  content: string;
  tool_calls?: object[];
}

const use = (name: string, args: object) => ({ function: { name, arguments: args } });

/**
 * A project whose agents play `answers`, turn by turn, and servers of it.
 * @param held turns such as `top 2` whose first requests get no answer
 */
async function projectOf(
  answers: Record<string, Answer[]>,
  held: string[],
  extra: Record<string, string> = {},
) {
  const asked: string[] = [];
  const waiting = held.map((turn) => ({ turn, arrived: latch() }));
  const server = await startModelServer(({ body }) => {
    const { model, messages } = v.parse(Request, body);
    const number = 1 + messages.filter(({ role }) => role === 'assistant').length;
    const turn = `${model} ${number}`;
    asked.push(turn);
    const hold = waiting.find((one) => one.turn === turn);
    if (hold !== undefined) {
      waiting.splice(waiting.indexOf(hold), 1);
      hold.arrived.open();
      return 'silence';
    }
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const { content, tool_calls } = answers[model]?.[number - 1] ?? { content: results.join('; ') };
    return { body: { message: { content, tool_calls }, done_reason: 'stop' } };
  });
  onTestFinished(server.close);
  const names = Object.keys(answers);
  const cwd = await tempFolder(
    Object.fromEntries(
      names.map((name) => [
        `agents/${name}.toml`,
        `name = "${name}"\nmodel = "ollama/${name}"\n${extra[name] ?? ''}`,
      ]),
    ),
  );
  const arrived = waiting.map(({ arrived: one }) => one.opened);
  const cadre = (...args: string[]) => startCommand(args, cwd, { CADRE_OLLAMA_BASE_URL: server.url });
  return {
    asked,
    arrived,
    cadre,
    async serve(...args: string[]) {
      const command = cadre('serve', '--port', '0', ...args);
      await command.says('stop with Ctrl-C\n');
      return { command, url: /http:\/\/127\.0\.0\.1:\d+/.exec(command.err)?.[0] ?? '' };
    },
  };
}

const Started = v.object({ run_id: v.string() });
const Result = v.object({ status: v.string(), content: v.optional(v.string()) });

async function start(url: string): Promise<string> {
  const response = await fetch(`${url}/agents/top/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"prompt":"go"}',
  });
  return v.parse(Started, await response.json()).run_id;
}

async function resultOf(url: string, id: string) {
  const response = await fetch(`${url}/runs/${id}/result?wait=25`);
  return v.parse(Result, await response.json());
}

async function statusOf(url: string, id: string): Promise<string> {
  return v.parse(Result, await (await fetch(`${url}/runs/${id}`)).json()).status;
}

async function end(command: Command, signal: NodeJS.Signals) {
  command.process.kill(signal);
  return command.ended();
}

/** A server's words, less its list of addresses, its requests and times. */
function saidBy({ err }: { err: string }): string[] {
  return err
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\S+Z /, ''))
    .filter((line) => !/^(Serving|  |GET|POST|stop with|$)/.test(line));
}

const delegating = {
  top: [{ content: '', tool_calls: [use('call_agent', { agent: 'kid', task: 'dig' })] }],
  kid: [{ content: 'dug' }],
};
const SUB_AGENTS = { top: 'sub_agents = ["kid"]\n' };

test.each(sample(1, ['SIGKILL', 'SIGTERM'] as const))(
  'a server that is started after %s goes on where the last one was, and no finished turn is paid twice',
  async (signal) => {
    const { asked, arrived, serve } = await projectOf(delegating, ['kid 1'], SUB_AGENTS);
    const first = await serve();
    const id = await start(first.url);
    await arrived[0];
    const { code, err } = await end(first.command, signal);
    const second = await serve();
    expect(await resultOf(second.url, id)).toEqual({ status: 'succeeded', content: 'dug' });
    expect(asked).toEqual(['top 1', 'kid 1', 'kid 1', 'top 2']);
    expect({ code, first: saidBy({ err }), second: saidBy(second.command) }).toEqual({
      code: signal === 'SIGTERM' ? 0 : null,
      first: signal === 'SIGTERM' ? [`left to the next cadre serve in this folder: ${id}`] : [],
      second: [`run ${id} goes on where its server left it`],
    });
    // Nothing is left for a third.
    await end(second.command, 'SIGTERM');
    const third = await serve();
    expect(saidBy(third.command)).toEqual([]);
    expect(asked.length).toBe(4);
  },
);

nightlyTest(
  'a command that is under way ends with its server, and the model learns that its outcome is unknown',
  async () => {
    const sleep = ownSleep();
    const answers = {
      top: [{ content: '', tool_calls: [use('run_command', { command: `sleep ${sleep}` })] }],
    };
    const { asked, serve } = await projectOf(answers, [], { top: 'tools = ["run_command"]\n' });
    const first = await serve();
    const id = await start(first.url);
    await expect.poll(() => running(sleep)).not.toEqual([]);
    await end(first.command, 'SIGTERM');
    expect(running(sleep)).toEqual([]);
    const second = await serve();
    expect(await resultOf(second.url, id)).toEqual({
      status: 'succeeded',
      content: 'Error: It is not known whether this call took place: look before you make it again.',
    });
    expect(asked).toEqual(['top 1', 'top 2']);
  },
);

test('a run that gets no further is left alone after three times', async () => {
  const answers = { top: [{ content: '', tool_calls: [use('list_directory', {})] }, { content: 'done' }] };
  const held = ['top 1', 'top 1', 'top 2', 'top 2', 'top 2', 'top 2'];
  const { asked, arrived, serve } = await projectOf(answers, held, { top: 'tools = ["files:read"]\n' });
  let server = await serve();
  const id = await start(server.url);
  for (const asking of arrived) {
    await asking;
    await end(server.command, 'SIGKILL');
    server = await serve();
  }
  expect(saidBy(server.command)).toEqual([
    `Warning: run ${id} was taken up 3 times and got no further, so it stays interrupted; ` +
      `continue with: POST /runs/${id}/resume, or close it with: POST /runs/${id}/stop`,
  ]);
  expect(await statusOf(server.url, id)).toBe('interrupted');
  // Text counted before its first turn does not count after it.
  expect(asked).toEqual(['top 1', 'top 1', 'top 1', 'top 2', 'top 2', 'top 2', 'top 2']);
  // A person who looks into it can go on.
  await fetch(`${server.url}/runs/${id}/resume`, { method: 'POST' });
  expect(await resultOf(server.url, id)).toEqual({ status: 'succeeded', content: 'done' });
});

nightlyTest('a run that waits for a person is taken up however often', async () => {
  const answers = { top: [{ content: '', tool_calls: [use('ask_user', { question: 'Which?' })] }] };
  const { asked, serve, cadre } = await projectOf(answers, [], {
    top: 'tools = ["ask_user"]\npatience = "1h"\n',
  });
  let server = await serve();
  const id = await start(server.url);
  const isAsked = async () => (await cadre('questions').ended()).out.includes('Which?');
  await expect.poll(isAsked).toBe(true);
  for (let restarts = 0; restarts < 5; restarts++) {
    await end(server.command, 'SIGTERM');
    server = await serve();
    expect(saidBy(server.command)).toEqual([`run ${id} goes on where its server left it`]);
  }
  await cadre('answer', id, 'this one').ended();
  expect(await resultOf(server.url, id)).toEqual({ status: 'succeeded', content: 'this one' });
  expect(asked).toEqual(['top 1', 'top 2']);
});

nightlyTest('a run that no server left, or that is not to be resumed, stays interrupted', async () => {
  const { asked, arrived, serve, cadre } = await projectOf({ top: [{ content: 'done' }] }, [
    'top 1',
    'top 1',
  ]);
  const own = cadre('run', 'top');
  await arrived[0];
  await end(own, 'SIGKILL');
  const first = await serve();
  const id = await start(first.url);
  await arrived[1];
  await end(first.command, 'SIGTERM');
  const second = await serve('--no-resume');
  expect(saidBy(second.command)).toEqual([]);
  await end(second.command, 'SIGTERM');
  const third = await serve();
  expect(await resultOf(third.url, id)).toEqual({ status: 'succeeded', content: 'done' });
  const { out } = await cadre('runs', '--status', 'interrupted', '--json').ended();
  expect(v.parse(v.pipe(v.string(), v.parseJson(), v.array(Started)), out).length).toBe(1);
  expect(asked).toEqual(['top 1', 'top 1', 'top 1']);
});

nightlyTest('Ctrl-C stops what a server carries out, and nothing goes on', async () => {
  const { asked, arrived, serve } = await projectOf(delegating, ['kid 1'], SUB_AGENTS);
  const first = await serve();
  const id = await start(first.url);
  await arrived[0];
  await end(first.command, 'SIGINT');
  const second = await serve();
  expect(await statusOf(second.url, id)).toBe('stopped');
  expect(saidBy(second.command)).toEqual([]);
  expect(asked).toEqual(['top 1', 'kid 1']);
});
