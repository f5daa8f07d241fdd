import { describe, expect, test, vi } from 'vitest';
import {
  latch,
  openStage,
  silence,
  use,
  type Ended,
  type Line,
  type Role,
  type Stage,
} from '../../fixtures/stage.ts';

const TOOLS = 'tools = ["files", "spawn_agent", "ask_user"]\n';

/** Top makes one call and answers with what came of it; the agent that it spawns does `work`. */
const spawns =
  (args: Record<string, unknown>, work: Role): Role =>
  (asked) => {
    if (asked.message !== 'go') return work(asked);
    return asked.turn === 1 ? [use('spawn_agent', args)] : asked.results.join();
  };

async function play(
  args: Record<string, unknown>,
  work: Role,
  toml = TOOLS,
): Promise<{ stage: Stage; ended: Ended }> {
  const stage = await openStage({ top: spawns(args, work) }, { top: toml }, { a: 'one\n' });
  return { stage, ended: await stage.run() };
}

/** The time that a sub-agent took is different every time. */
const untimed = ({ out }: Ended) => out.replace(/\d+\.\ds\)/, 'S.Ss)');

/** Whether the caller is told that its call failed. */
function isError({ asked }: Stage): boolean | undefined {
  const last = asked.at(-1)?.request.messages.at(-1);
  return last?.role === 'tool' ? last.results[0]?.isError : undefined;
}
const read = use('read_file', { path: 'a' });

describe('spawn_agent', () => {
  test('gives a fresh conversation its task, its scope and its budget, and reports what it did', async () => {
    const work: Role = ({ turn }) =>
      turn === 1
        ? [read, use('edit_file', { path: 'a', old_string: 'one', new_string: 'two' })]
        : 'It says one.';
    const { stage, ended } = await play({ task: 'Read a.', scope: 'docs', max_tool_calls: '3' }, work);
    expect(untimed(ended)).toBe(
      'Sub-agent result (2 tool calls, S.Ss):\n\nIt says one.\n\nFiles read: a\n\nFiles modified: a',
    );
    expect(isError(stage)).toBe(false);
    const { system = '', messages, tools = [] } = stage.asked[1]?.request ?? {};
    const folder = `Working directory: ${stage.cwd}\n`;
    for (const part of ['Task: Read a.', 'Scope: docs', folder, '3 tool calls', 'concise', 'summary']) {
      expect(system).toContain(part);
    }
    expect(messages).toEqual([{ role: 'user', text: 'Read a.' }]);
    expect(tools.map(({ name }) => name)).toEqual([
      'delete_file',
      'edit_file',
      'glob',
      'grep',
      'list_directory',
      'read_file',
      'spawn_agent',
      'write_file',
    ]);
    expect(ended.tree[1]).toMatchObject({ agent: 'top', depth: 1, derivedBy: 'spawn_agent', timeout: 60 });
  });

  test('gives copies that it makes of itself no more calls than it may make', async () => {
    const work: Role = ({ message, turn }) => {
      if (message === 'copy') return { text: `after ${turn - 1}`, calls: [read] };
      return turn === 1 ? [use('sub_agent', { prompt: 'copy' })] : 'done';
    };
    const tools = 'tools = ["files", "spawn_agent", "sub_agent"]\n';
    const { ended } = await play({ task: 'x', max_tool_calls: 2 }, work, tools);
    expect(ended.tree.map(({ derivedBy, status, exceeded }) => [derivedBy, status, exceeded])).toEqual([
      [undefined, 'succeeded', undefined],
      ['spawn_agent', 'succeeded', undefined],
      ['sub_agent', 'budget_exceeded', 'budget exceeded: used 2 of 2 tool calls'],
    ]);
  });

  test('ends at its limit of tool calls with what it has', async () => {
    const work: Role = ({ turn }) => ({ text: `after ${turn - 1}`, calls: [read] });
    const { stage, ended } = await play({ task: 'x', max_tool_calls: 3 }, work);
    expect(untimed(ended)).toBe(
      '[BUDGET EXCEEDED] Sub-agent result (3 tool calls, S.Ss):\n\nafter 3\n\nFiles read: a',
    );
    expect(isError(stage)).toBe(false);
    expect(ended.tree[1]).toMatchObject({
      status: 'budget_exceeded',
      exceeded: 'budget exceeded: used 3 of 3 tool calls',
    });
  });

  test('lets it answer once all its calls are made', async () => {
    const { ended } = await play({ task: 'x', max_tool_calls: 1 }, ({ turn }) =>
      turn === 1 ? [read] : 'done',
    );
    expect(untimed(ended)).toBe('Sub-agent result (1 tool calls, S.Ss):\n\ndone\n\nFiles read: a');
  });

  test('ends when its conversation has grown by its limit of tokens, however long its prompt', async () => {
    const work: Role = ({ turn, request }) => ({
      text: `after ${turn - 1}: ${request.maxTokens}`,
      calls: [read],
      usage: { inputTokens: 5000 + 40 * turn, outputTokens: 20 },
    });
    const toml = `${TOOLS}sub_agent.default_budget.max_tokens = 100\n`;
    const { ended } = await play({ task: 'x' }, work, toml);
    expect(untimed(ended)).toBe(
      '[BUDGET EXCEEDED] Sub-agent result (3 tool calls, S.Ss):\n\nafter 2: 38\n\nFiles read: a',
    );
  });

  test('counts an answer that was cut at the limit of tokens as one that ended there', async () => {
    const toml = `${TOOLS}sub_agent.default_budget.max_tokens = 100\n`;
    const { ended } = await play({ task: 'x' }, () => ({ text: 'cut', stopReason: 'max_tokens' }), toml);
    expect(untimed(ended)).toBe('[BUDGET EXCEEDED] Sub-agent result (0 tool calls, S.Ss):\n\ncut');
  });

  test('ends at its time limit with what it has', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const begun = latch();
    const work: Role = (asked) => {
      if (asked.turn === 1) return { text: 'so far', calls: [read] };
      begun.open();
      return silence(asked);
    };
    const stage = await openStage({ top: spawns({ task: 'x' }, work) }, { top: TOOLS }, { a: '' });
    const running = stage.run();
    await begun.opened;
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    const ended = await running;
    expect(untimed(ended)).toBe(
      '[TIMEOUT] Sub-agent result (1 tool calls, S.Ss):\n\nso far\n\nFiles read: a',
    );
    expect([ended.code, isError(stage)]).toEqual([0, false]);
  });

  test('reports an error as one', async () => {
    const { stage, ended } = await play({ task: 'x' }, () => {
      throw new Error('the model is on fire');
    });
    expect(untimed(ended)).toBe('[ERROR] Sub-agent result (0 tool calls, S.Ss):\n\nthe model is on fire');
    expect(isError(stage)).toBe(true);
  });

  test('is refused in words for the model', async () => {
    const { stage, ended } = await play({}, () => 'never');
    expect([ended.out, isError(stage)]).toEqual(['Error: task is required for spawn_agent', true]);
  });

  test('never gives more calls than its caller may make itself', async () => {
    const toml = `${TOOLS}sub_agent = { hard_stop_at = 7 }\n`;
    const { stage } = await play({ task: 'x', max_tool_calls: 50 }, () => 'done', toml);
    expect(stage.asked[1]?.request.system).toContain('Budget: 7 tool calls, 8192 tokens, 60 seconds');
  });

  test('spawns agents down to its depth, and says so below it', async () => {
    const work: Role = ({ message, turn, results, request }) => {
      if (turn > 1) return results.join();
      const has = request.tools.some(({ name }) => name === 'spawn_agent');
      return { text: `${message} has it: ${has}`, calls: [use('spawn_agent', { task: `${message}'` })] };
    };
    const { stage, ended } = await play({ task: 'x' }, work, `${TOOLS}sub_agent.max_depth = 2\n`);
    expect(stage.asked.map(({ message, request }) => [message, request.tools.length])).toEqual([
      ['go', 9],
      ['x', 8],
      ["x'", 7],
      ["x'", 7],
      ['x', 8],
      ['go', 9],
    ]);
    expect(ended.out).toContain('Error: Maximum sub-agent depth (2) exceeded');
  });

  test.each(['mode = "plan"\n', 'sub_agent.enabled = false\n', 'permissions.deny = ["spawn_agent"]\n'])(
    'is not there with %s',
    async (toml) => {
      const { stage, ended } = await play({ task: 'x' }, () => 'never', TOOLS + toml);
      expect(stage.asked[0]?.request.tools.map(({ name }) => name)).not.toContain('spawn_agent');
      expect(ended.out).toBe('Unknown tool: "spawn_agent"');
    },
  );
});

describe('the permissions of a spawned agent', () => {
  const write = use('write_file', { path: 'b', content: 'x' });
  const writes: Role = ({ turn, results }): Line => (turn === 1 ? [write] : results.join());
  const response = ({ out }: Ended) => out.split('\n\n')[1];

  test('in mode plan are to read, and what it may not use counts as a call', async () => {
    const { ended } = await play({ task: 'x', mode: 'plan' }, writes);
    expect(untimed(ended)).toBe(
      'Sub-agent result (1 tool calls, S.Ss):\n\nPermission denied: tool "write_file" is not in the allowed tool list for this sub-agent.',
    );
  });

  test('include what a person would have to approve where its caller is in mode auto', async () => {
    const { ended } = await play({ task: 'x' }, writes, `${TOOLS}permissions.ask = ["write_file"]\n`);
    expect(response(ended)).toBe('created "b" (1 bytes)');
  });

  test('exclude it where its caller is in mode ask, for any mode that the call asks for', async () => {
    const toml = `${TOOLS}mode = "ask"\npermissions.allow = ["write_file"]\npermissions.ask = ["write_file(b)"]\n`;
    const { ended } = await play({ task: 'x', mode: 'auto' }, writes, toml);
    expect(response(ended)).toBe('Permission denied: "write_file" is denied by the rule write_file(b).');
  });

  test('are never wider than those of its caller, also for an agent that it calls by name', async () => {
    const top: Role = (asked) => {
      if (asked.agent === 'kid') return writes(asked);
      const next =
        asked.message === 'go'
          ? use('spawn_agent', { task: 'x', mode: 'plan' })
          : use('call_agent', { agent: 'kid', task: 'y' });
      return asked.turn === 1 ? [next] : asked.results.join();
    };
    const stage = await openStage(
      { top, kid: top },
      { top: `${TOOLS}sub_agents = ["kid"]\n`, kid: 'tools = ["files"]\n' },
    );
    expect((await stage.run()).out).toContain('Unknown tool: "write_file"');
  });
});

describe('an agent that spawns others', () => {
  const many = (count: number) => Array.from({ length: count }, () => read);

  test('is told to come to an end, then to stop, and ends at its limit of calls', async () => {
    const told: string[] = [];
    const top: Role = ({ request, turn }) => {
      const last = request.messages.at(-1);
      if (last?.role === 'user') told.push(last.text);
      return { text: `turn ${turn}`, calls: many(2) };
    };
    const toml = `${TOOLS}sub_agent = { warn_at = 3, pause_at = 5, hard_stop_at = 8 }\n`;
    const stage = await openStage({ top }, { top: toml }, { a: 'one\n' });
    const { code, out, err } = await stage.run();
    expect({ code, out, err }).toEqual({
      code: 4,
      out: 'turn 5',
      err: 'budget exceeded: used 8 of 8 tool calls\n',
    });
    expect(told).toEqual([
      'go',
      '[Notification: You have made 4 tool calls. This run ends at 8. Come to an end soon.]',
      expect.stringContaining('[Notification: You have made 6 tool calls. This run ends at 8. Stop here: '),
    ]);
  });

  test('has as many of them at work at once as its file says, each call counted as one of its own', async () => {
    let [atWork, most] = [0, 0];
    const doors = Array.from({ length: 4 }, latch);
    const work: Role = async ({ message }) => {
      most = Math.max(most, ++atWork);
      const index = Number(message);
      // Those of a pair wait for each other, so that both are at work.
      doors[index]?.open();
      await doors[index ^ 1]?.opened;
      atWork--;
      return message;
    };
    const top: Role = (asked) => {
      if (asked.message !== 'go') return work(asked);
      return asked.turn === 1
        ? [0, 1, 2, 3].map((task) => use('spawn_agent', { task: `${task}` }))
        : asked.results.map((result) => result.split('\n\n')[1]).join();
    };
    const stage = await openStage({ top }, { top: `${TOOLS}sub_agent.max_concurrent = 2\n` });
    const { out, run } = await stage.run();
    expect({ out, most, calls: run.usage.toolCalls }).toEqual({ out: '0,1,2,3', most: 2, calls: 4 });
  });

  test('can make fifteen small calls with what a spawned agent gets by default', async () => {
    const { ended } = await play({ task: 'x' }, ({ turn }) => (turn <= 15 ? [read] : 'done'));
    expect(untimed(ended)).toContain('Sub-agent result (15 tool calls, S.Ss):\n\ndone');
  });
});
