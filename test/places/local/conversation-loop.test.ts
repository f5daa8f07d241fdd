import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/errors.ts';
import { call, openStage, openStageIn, type Asked } from '../../fixtures/stage.ts';

const subAgents = 'sub_agents = ["kid"]\n';

describe('a conversation', () => {
  test('without tools is one request and one answer', async () => {
    const stage = await openStage({ top: () => 'the answer' }, { top: 'system_prompt = "be brief"\n' });
    expect(await stage.run({ prompt: 'why?' })).toMatchObject({ code: 0, out: 'the answer', err: '' });
    expect(stage.asked.map(({ request }) => request)).toEqual([
      {
        model: 'top',
        system: 'be brief',
        messages: [{ role: 'user', text: 'why?' }],
        tools: [],
        maxTokens: 0,
      },
    ]);
  });

  test('grows by what was said and what came back, and what was sent before never changes', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) =>
          turn < 4 ? { text: `turn ${turn}`, calls: [call('kid', `task ${turn}`)] } : 'done',
        kid: ({ message }) => `did ${message}`,
      },
      { top: subAgents },
    );
    await stage.run();
    const sent = stage.asked.filter(({ agent }) => agent === 'top').map(({ request }) => request);
    sent.slice(1).forEach((request, index) => {
      const before = sent[index];
      expect(request.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
      expect({ ...request, messages: [] }).toEqual({ ...before, messages: [] });
    });
    expect(
      sent.at(-1)?.messages.map((message) => ('text' in message ? message.text : message.results[0]?.text)),
    ).toEqual([
      'go',
      'turn 1',
      'did Task: task 1',
      'turn 2',
      'did Task: task 2',
      'turn 3',
      'did Task: task 3',
    ]);
  });

  test('goes on where there are calls and ends where there are none, with any stop reason', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) =>
          turn === 1
            ? { calls: [call('kid', 'x')], stopReason: 'end', rawStopReason: 'end_turn' }
            : { text: 'over', stopReason: 'tool_calls', rawStopReason: 'tool_use' },
        kid: () => 'k',
      },
      { top: subAgents },
    );
    const { out, code, run } = await stage.run();
    expect({ out, code, stop: run.stopReason }).toEqual({ out: 'over', code: 0, stop: 'tool_use' });
  });

  test('that ends without a word has an empty answer', async () => {
    const stage = await openStage(
      { top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : ''), kid: () => '' },
      { top: subAgents },
    );
    expect(await stage.run()).toMatchObject({ code: 0, out: '', err: '', run: { status: 'succeeded' } });
    expect(stage.asked.at(-1)?.results).toEqual(['']);
  });

  test('may take 50 turns', async () => {
    const stage = await openStage(
      { top: ({ turn }) => (turn < 50 ? [call('kid', 'x')] : 'the fiftieth'), kid: () => 'k' },
      { top: subAgents },
    );
    const { code, out, run } = await stage.run();
    expect({ code, out, usage: run.usage }).toEqual({
      code: 0,
      out: 'the fiftieth',
      usage: { turns: 50, toolCalls: 49, inputTokens: (10 * 50 * 51) / 2, outputTokens: 50 },
    });
  });

  test('ends after 50 turns, and what the fiftieth asks for is not carried out', async () => {
    const stage = await openStage(
      { top: ({ turn }) => [call('kid', `${turn}`)], kid: () => 'k' },
      { top: subAgents },
    );
    expect(await stage.run()).toMatchObject({
      code: 1,
      out: '',
      err: 'Error: agent exceeded maximum conversation turns (50)\n',
      run: { status: 'failed', usage: { turns: 50, toolCalls: 50 } },
    });
    const told = stage.asked.filter(({ agent }) => agent === 'kid').map(({ message }) => message);
    expect(told).toHaveLength(49);
    expect(told.at(-1)).toBe('Task: 49');
  });

  test.each([
    ['auth', 3],
    ['bad_request', 1],
    ['rate_limit', 3],
    ['overloaded', 3],
    ['server', 3],
    ['timeout', 3],
  ] as const)('that its API ends with %s ends with code %i and says why', async (category, code) => {
    const stage = await openStage({
      top() {
        throw new ModelError(category, 'no way');
      },
    });
    expect(await stage.run()).toMatchObject({
      code,
      out: '',
      err: `Error: agent "top": ${category}: no way\n`,
    });
  });

  test('that fails after some turns keeps what they cost', async () => {
    const stage = await openStage(
      {
        top({ turn }: Asked) {
          if (turn === 2) throw new ModelError('server', 'gone');
          return [call('kid', 'x')];
        },
        kid: () => 'k',
      },
      { top: subAgents },
    );
    const { run } = await stage.run();
    expect(run).toMatchObject({
      status: 'failed',
      failure: { error: 'ModelError', message: 'server: gone' },
      usage: { turns: 1, toolCalls: 1, inputTokens: 10, outputTokens: 1 },
    });
  });

  test('goes on where a failure left it, and pays no turn twice', async () => {
    let isBroken = true;
    const roles = {
      top({ turn, results }: Asked) {
        if (turn < 3) return [call('kid', `task ${turn}`)];
        if (isBroken) throw new ModelError('server', 'gone');
        return results.join();
      },
      kid: ({ message }: Asked) => `did ${message}`,
    };
    const before = await openStage(roles, { top: subAgents });
    const { run, code } = await before.run();
    expect(code).toBe(3);
    await before.pipeline.close();

    isBroken = false;
    const after = await openStageIn(before.cwd, roles);
    expect(await after.resume(run.id)).toMatchObject({
      code: 0,
      out: 'did Task: task 2',
      err: '',
      run: { status: 'succeeded', usage: { turns: 3 } },
    });
    expect(after.asked.map(({ agent, turn }) => `${agent} ${turn}`)).toEqual(['top 3']);
  });

  test('that could not begin goes on when what it lacked is there', async () => {
    const before = await openStage(
      { top: () => 'never asked' },
      { top: 'system_prompt = "be slow"\nskill = "reading"\n' },
    );
    const { code, err, run } = await before.run();
    expect({ code, err, model: run.model }).toEqual({
      code: 2,
      err: `Error: skill not found: ${before.cwd}/skills/reading/SKILL.md\n`,
      model: 'stage/top',
    });
    await before.pipeline.close();

    await mkdir(`${before.cwd}/skills/reading`, { recursive: true });
    await writeFile(`${before.cwd}/skills/reading/SKILL.md`, 'read slowly');
    const after = await openStageIn(before.cwd, { top: ({ request }) => request.system });
    const resumed = await after.resume(run.id);
    expect({ code: resumed.code, out: resumed.out }).toEqual({
      code: 0,
      out: 'be slow\n\n---\n\n## Skill\n\nread slowly',
    });
    expect(resumed.run).toMatchObject({ status: 'succeeded', model: 'stage/top' });
    expect(resumed.run).not.toHaveProperty('failure');
  });
});
