import { describe, expect, test, vi } from 'vitest';
import { unanswered } from '../../fixtures/questions.ts';
import { openStage, silence, use, type Role } from '../../fixtures/stage.ts';

const COPY = {
  top: 'tools = ["files", "sub_agent"]\nsystem_prompt = "You are top."\nmodels = ["stage/small"]\n',
};

/** Top hands on one task; its copy, which knows it by the prompt, does `work`. */
const handsOn =
  (args: Record<string, unknown>, work: Role): Role =>
  (asked) => {
    if (asked.message !== 'go') return work(asked);
    return asked.turn === 1 ? [use('sub_agent', args)] : asked.results.join();
  };
const small: Role = () => 'small';

describe('sub_agent', () => {
  test('is a copy of the agent with an empty conversation, and tells what its tools did', async () => {
    const work: Role = ({ turn }) =>
      turn === 1 ? [use('read_file', { path: 'a' }), use('read_file', { path: 'missing' })] : 'read';
    const stage = await openStage({ top: handsOn({ prompt: 'look' }, work), small }, COPY, {
      a: `one\n${'x'.repeat(600)}\n`,
    });
    const { out, tree } = await stage.run();
    const log = `1: one\n2: ${'x'.repeat(600)}`.slice(0, 500);
    expect(out).toBe(
      `## Sub-agent tool log\n\n- read_file({"path":"a"}): ${log}\n- read_file({"path":"missing"}): ERROR: Error: there is no file or folder "missing"\n\n## Sub-agent response\n\nread`,
    );
    const [, child] = stage.asked;
    expect(child?.request).toMatchObject({
      model: 'top',
      system: 'You are top.',
      messages: [{ role: 'user', text: 'look' }],
    });
    expect(child?.request.tools.map(({ name }) => name)).toEqual([
      'ask_user',
      'delete_file',
      'edit_file',
      'glob',
      'grep',
      'list_directory',
      'read_file',
      'write_file',
    ]);
    expect(tree.map(({ agent, depth, derivedBy }) => ({ agent, depth, derivedBy }))).toEqual([
      { agent: 'top', depth: 0, derivedBy: undefined },
      { agent: 'top', depth: 1, derivedBy: 'sub_agent' },
    ]);
  });

  test('answers with its response alone where it used no tools', async () => {
    const stage = await openStage({ top: handsOn({ prompt: 'look' }, () => 'seen'), small }, COPY);
    expect((await stage.run()).out).toBe('seen');
  });

  test('has the model, the system prompt and the tools that the call asks for', async () => {
    const args = {
      prompt: 'look',
      model: 'stage/small',
      system_prompt: 'Be small.',
      tools: ['grep', 'ask_user'],
    };
    const stage = await openStage({ top: handsOn(args, () => 'never'), small }, COPY);
    expect((await stage.run()).out).toBe('small');
    const { agent, request } = stage.asked[1] ?? {};
    expect({ agent, system: request?.system, tools: request?.tools.map(({ name }) => name) }).toEqual({
      agent: 'small',
      system: 'Be small.',
      tools: ['ask_user', 'grep'],
    });
  });

  test('may have no model but those that people chose, which its schema lists', async () => {
    const stage = await openStage({ top: handsOn({ prompt: 'x', model: 'stage/huge' }, small), small }, COPY);
    expect((await stage.run()).out).toBe(
      'Error: model "stage/huge" is not one that you may choose: stage/top, stage/small',
    );
    const tool = stage.asked[0]?.request.tools.find(({ name }) => name === 'sub_agent');
    expect(tool?.parameters).toMatchObject({
      properties: { model: { enum: ['stage/top', 'stage/small'] } },
      required: ['prompt'],
    });
  });

  test('may have no tool but those of its caller', async () => {
    const stage = await openStage(
      { top: handsOn({ prompt: 'x', tools: ['grep', 'bash'] }, small), small },
      COPY,
    );
    expect((await stage.run()).out).toMatch(/^Error: tool "bash" is not one that you may choose: .*grep/);
    expect(stage.asked.map(({ agent }) => agent)).toEqual(['top', 'top']);
  });

  test('cannot have a model whose answers are computed, even if a file names it', async () => {
    const computed = { top: COPY.top.replace('stage/small', 'planned/delegation') };
    const delegation = { plan: 'p', subtasks: [{ task: 'x', scope: '', dependsOn: [] }], atOnce: true };
    const args = { prompt: JSON.stringify(delegation), model: 'planned/delegation' };
    const { run } = await openStage({ top: handsOn(args, small), small }, computed);
    const { out } = await run();
    const reason = 'unsupported provider "planned": its answers are computed, for delegate_task alone';
    expect(out).toBe(
      `Error: sub-agent "top" failed - ${reason}. You may retry or proceed without this result.`,
    );
    await expect(run({ overrides: { model: 'planned/delegation' } })).rejects.toThrow(reason);
  });

  test('has no sub-agents itself, and may use no tool that was not kept for it', async () => {
    const work: Role = ({ turn, results }) =>
      turn === 1
        ? [use('sub_agent', { prompt: 'x' }), use('write_file', {}), use('no_tool', {})]
        : results.join('|');
    const stage = await openStage(
      { top: handsOn({ prompt: 'look', tools: ['read_file', 'sub_agent'] }, work), small },
      COPY,
    );
    await stage.run();
    expect(stage.asked[2]?.results).toEqual([
      'Permission denied: tool "sub_agent" is not in the allowed tool list for this sub-agent.',
      'Permission denied: tool "write_file" is not in the allowed tool list for this sub-agent.',
      'Unknown tool: "no_tool"',
    ]);
  });

  test('may ask the user, who may not answer in time', async () => {
    const work: Role = ({ turn, results }) =>
      turn === 1 ? [use('ask_user', { question: 'why?' }), use('ask_user', {})] : results.join('|');
    const stage = await openStage({ top: handsOn({ prompt: 'look' }, work), small }, COPY);
    await unanswered(() => stage.run(), stage.pipeline.store);
    expect(stage.asked[2]?.results).toEqual([
      '(question could not be answered)',
      'Missing required parameter: question',
    ]);
  });

  test('needs a prompt', async () => {
    const stage = await openStage({ top: handsOn({ prompt: ' ' }, small), small }, COPY);
    expect((await stage.run()).out).toBe('Missing required parameter: prompt');
  });

  test('is not offered at the depth limit of the tree', async () => {
    const kid: Role = ({ request }) => request.tools.map(({ name }) => name).join() || 'none';
    const top: Role = ({ turn, results }) =>
      turn === 1 ? [use('call_agent', { agent: 'kid', task: 'x' })] : results.join();
    const stage = await openStage(
      { top, kid },
      { top: 'sub_agents = ["kid"]\n[sub_agents_config]\nmax_depth = 1\n', kid: 'tools = ["sub_agent"]\n' },
    );
    expect((await stage.run()).out).toBe('none');
  });

  test('ends when nothing was heard of it for 120 seconds, but not while its model goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const work: Role = async (asked) => {
      const ended = silence(asked);
      for (let second = 0; second < 300; second += 100) {
        vi.advanceTimersByTime(100_000);
        asked.onDelta?.({ type: 'alive' });
      }
      expect(asked.signal.aborted).toBe(false);
      vi.advanceTimersByTime(120_000);
      return ended;
    };
    const stage = await openStage(
      { top: handsOn({ prompt: 'look' }, work), small },
      { top: `timeout = 3600\n${COPY.top}` },
    );
    const ended = stage.run();
    await vi
      .waitFor(() => expect(stage.asked).toHaveLength(3), { timeout: 20_000 })
      .finally(() => vi.useRealTimers());
    const { out, tree } = await ended;
    expect(out).toBe('Error: sub-agent timed out after 120s without a sign of life');
    expect(tree[1]).toMatchObject({ status: 'timed_out' });
  });
});
