import { describe, expect, test } from 'vitest';
import { latch, openStage, use, type Ended, type Line, type Role } from '../../fixtures/stage.ts';

const TOOLS = 'tools = ["files", "delegate_task"]\n';

/** Top delegates once and answers with the report; the agents for its subtasks do `work`. */
const delegates =
  (args: Record<string, unknown>, work: Role): Role =>
  (asked) => {
    if (asked.message !== 'go') return work(asked);
    return asked.turn === 1 ? [use('delegate_task', args)] : asked.results.join();
  };

async function play(args: Record<string, unknown>, work: Role = () => 'done', toml = TOOLS) {
  const stage = await openStage({ top: delegates(args, work) }, { top: toml }, { a: 'one\n' });
  return { stage, ended: await stage.run() };
}

const untimed = ({ out }: Ended) => out.replace(/\d+\.\ds$/, 'S.Ss');
const read = use('read_file', { path: 'a' });

describe('delegate_task', () => {
  test('has its subtasks done in order, hands responses on, and reports on all of them', async () => {
    const work: Role = ({ message, turn }): Line =>
      turn === 1 && message === 'Find.' ? [read] : `(${message})`;
    const subtasks = [{ task: 'Find.', scope: 'src' }, { task: 'Tell.', depends_on: 0 }, 'Rest.'];
    const { stage, ended } = await play({ plan: 'Understand.', subtasks }, work);
    expect(untimed(ended)).toBe(
      [
        'Delegation: Understand.\nSubtasks: 3\n\n',
        '--- Subtask 1: Find. ---\nStatus: completed\n(Find.)\n',
        '--- Subtask 2: Tell. ---\nStatus: completed\n(Tell.\n\nContext from previous subtask:\n(Find.))\n',
        '--- Subtask 3: Rest. ---\nStatus: completed\n(Rest.)\n',
        '--- Delegation Summary ---\nCompleted: 3/3\nTotal tool calls: 1\nTotal duration: S.Ss',
      ].join(''),
    );
    expect(stage.asked.map(({ message }) => message.split('\n')[0])).toEqual([
      'go',
      'Find.',
      'Find.',
      'Tell.',
      'Rest.',
      'go',
    ]);
    expect(stage.asked[1]?.request.system).toContain('Scope: src');
  });

  test('costs no tokens and no level of depth, and shows in the tree', async () => {
    const { ended } = await play({ plan: 'p', subtasks: [{ task: 'x' }] });
    expect(
      ended.tree.map(({ derivedBy, depth, model, task, usage }) => [
        derivedBy,
        depth,
        model,
        task,
        usage.inputTokens,
      ]),
    ).toEqual([
      [undefined, 0, 'stage/top', 'go', 30],
      ['delegate_task', 0, 'planned/delegation', 'p', 0],
      ['spawn_agent', 1, 'stage/top', 'x', 10],
    ]);
  });

  test('begins nothing after an error, and says so', async () => {
    const work: Role = ({ message }) => {
      if (message === 'b') throw new Error('broken');
      return message;
    };
    const { stage, ended } = await play(
      { plan: 'p', subtasks: [{ task: 'a' }, { task: 'b' }, { task: 'c' }] },
      work,
    );
    expect(untimed(ended)).toBe(
      [
        'Delegation: p\nSubtasks: 3\n\n',
        '--- Subtask 1: a ---\nStatus: completed\na\n',
        '--- Subtask 2: b ---\nStatus: error\nbroken\n',
        'Delegation stopped: subtask 2 failed with error.\n',
        '--- Delegation Summary ---\nCompleted: 1/3\nTotal tool calls: 0\nTotal duration: S.Ss',
      ].join(''),
    );
    expect(stage.asked.map(({ message }) => message)).toEqual(['go', 'a', 'b', 'go']);
  });

  test('goes on after a subtask that reached its budget', async () => {
    const work: Role = ({ message }) => (message === 'a' ? { text: 'part', calls: [read] } : message);
    const toml = `${TOOLS}sub_agent.default_budget.max_tool_calls = 1\n`;
    const { ended } = await play(
      { plan: 'p', subtasks: [{ task: 'a' }, { task: 'b', depends_on: '0' }] },
      work,
      toml,
    );
    expect(ended.out).toContain('--- Subtask 1: a ---\nStatus: budget_exceeded\npart\n');
    expect(ended.out).toContain('Completed: 1/2\nTotal tool calls: 1\n');
    expect(ended.out).toContain('b\n\nContext from previous subtask:\npart\n');
  });

  test('has those at work at once that depend on nothing unfinished, if the agent allows that', async () => {
    const both = [latch(), latch()];
    const work: Role = async ({ message }) => {
      const index = ['a', 'b'].indexOf(message);
      both[index]?.open();
      // Each of the two independent ones waits for the other.
      await both[1 - index]?.opened;
      return message;
    };
    const subtasks = [{ task: 'a' }, { task: 'b' }, { task: 'c', depends_on: [0, 1] }];
    const { stage, ended } = await play(
      { plan: 'p', subtasks },
      work,
      `${TOOLS}sub_agent.max_concurrent = 2\n`,
    );
    expect(ended.out).toContain(
      '--- Subtask 3: c ---\nStatus: completed\nc\n\nContext from previous subtask:\na\n\nb\n',
    );
    expect(stage.asked[0]?.request.tools.find(({ name }) => name === 'delegate_task')?.description).toContain(
      'run them, independent ones at the same time; use depends_on where order matters',
    );
  });

  test('works for an agent that may not spawn by itself, and gives its agents no more than it has', async () => {
    const { stage } = await play({ plan: 'p', subtasks: [{ task: 'x' }] });
    const names = (index: number) => stage.asked[index]?.request.tools.map(({ name }) => name);
    expect(names(0)).toContain('delegate_task');
    expect(names(0)).not.toContain('spawn_agent');
    expect(names(1)).toEqual(names(0));
  });

  test('has agents that spawn others themselves, and read of them what every caller reads', async () => {
    const work: Role = ({ message, turn, results }) => {
      if (message !== 'deep') return 'found';
      return turn === 1 ? [use('spawn_agent', { task: 'deeper' })] : results.join();
    };
    const { ended } = await play(
      { plan: 'p', subtasks: [{ task: 'deep' }] },
      work,
      'tools = ["delegate_task", "spawn_agent"]\n',
    );
    expect(ended.out).toMatch(/Status: completed\nSub-agent result \(0 tool calls, \d+\.\ds\):\n\nfound\n/);
  });

  test('has the time that its run has, and its agents that of their budget, independent of named sub-agents', async () => {
    const { ended } = await play(
      { plan: 'p', subtasks: [{ task: 'x' }] },
      () => 'done',
      `${TOOLS}sub_agent.default_budget.timeout_ms = 20000\n[sub_agents_config]\ntimeout = 7\n`,
    );
    const [, delegation, subtask] = ended.tree.map(({ timeout }) => timeout);
    expect(delegation).toBeGreaterThan(20);
    expect(subtask).toBe(20);
  });

  test.each(['deny', 'ask'])('works where a rule under %s is about spawn_agent', async (list) => {
    const { ended } = await play(
      { plan: 'p', subtasks: [{ task: 'x' }] },
      undefined,
      `${TOOLS}permissions.${list} = ["spawn_agent"]\n`,
    );
    expect(ended.out).toContain('Completed: 1/1');
  });

  test('holds to a budget of the tree, of which it uses nothing itself', async () => {
    const { ended } = await play(
      { plan: 'p', subtasks: [{ task: 'x' }, { task: 'x' }] },
      () => 'done',
      `${TOOLS}budget.max_tokens = 60000\n`,
    );
    expect(ended.out).toContain('Completed: 2/2');
    expect(ended.run.status).toBe('succeeded');
  });
});
