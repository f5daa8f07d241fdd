import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { latch } from '../fixtures/stage.ts';
import { SILENCE, type Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

export const AGENTS = {
  deriver: `name = "deriver"
model = "bedrock/anthropic.claude-deriver"
tools = ["sub_agent", "spawn_agent", "delegate_task"]
sub_agents = ["walker"]

[sub_agents_config]
background = true
`,
  walker: 'name = "walker"\nmodel = "bedrock/anthropic.claude-walker"\ndescription = "looks"\n',
};

/** The requests to the agent and those derived from it, in order: their first message, and the turn. */
const asked: string[] = [];
const isSecondAsked = latch();

const walker: Role = () => 'walked';

/**
 * It delegates in each of the three ways and in the background, and says what it heard; the second subtask gets no answer
 * at first.
 */
const deriver: Role = ({ message, turn, results, told }) => {
  const [task = ''] = message.split('\n');
  asked.push(`${task} ${turn}`);
  if (task === 'second' && asked.filter((each) => each === 'second 1').length === 1) {
    isSecondAsked.open();
    return SILENCE;
  }
  if (task !== 'go') return `${task} done`;
  if (turn > 1) return [...results.map(({ text }) => text), told].join('\n===\n');
  const subtasks = [{ task: 'first' }, { task: 'second', depends_on: 0 }];
  return [
    { tool: 'call_agent', input: { agent: 'walker', task: 'beside', background: true } },
    { tool: 'sub_agent', input: { prompt: 'copy' } },
    { tool: 'delegate_task', input: { plan: 'two steps', subtasks } },
    { tool: 'spawn_agent', input: { task: 'spawned' } },
  ];
};
export const ROLES: Record<string, Role> = { deriver, walker };

const Body = v.object({
  runs: v.array(
    v.object({
      agent: v.string(),
      derived_by: v.optional(v.string()),
      depth: v.number(),
      status: v.string(),
    }),
  ),
});

// Milliseconds: functions start from cold, each in a process of its own.
export const describeDelegations = () =>
  describe('sub-agents that are derived', () => {
    const ask = (method: string, path: string, json?: object) =>
      rehearsal.askApi(method, path, { caller: 'ada', ...(json !== undefined && { json }) });
    const tree = async (run: string) => {
      const { runs } = v.parse(Body, (await ask('GET', `/runs/${run}/tree`)).body);
      return runs.map(({ agent, derived_by, depth, status }) => `${derived_by ?? agent} ${depth} ${status}`);
    };

    test('do their work in an account, and go on where they were when they are stopped in a delegation', async () => {
      const { body } = await ask('POST', '/agents/deriver/runs', { prompt: 'go' });
      const run = String(body['run_id']);
      const walked = `${run.replace('deriver', 'walker')}-t1c1`;
      await isSecondAsked.opened;
      await expect
        .poll(() => tree(run))
        .toEqual([
          'deriver 0 running',
          'walker 1 idle',
          'sub_agent 1 succeeded',
          'delegate_task 0 running',
          'spawn_agent 1 succeeded',
          'spawn_agent 1 running',
        ]);
      await ask('POST', `/runs/${run}/stop`, {});
      await ask('GET', `/runs/${run}/result?wait=25`);
      await rehearsal.events.delivered();
      expect(await tree(run)).toEqual([
        'deriver 0 stopped',
        'walker 1 stopped',
        'sub_agent 1 succeeded',
        'delegate_task 0 stopped',
        'spawn_agent 1 succeeded',
        'spawn_agent 1 stopped',
      ]);

      await ask('POST', `/runs/${run}/resume`, {});
      const { body: result } = await ask('GET', `/runs/${run}/result?wait=25`);
      expect(String(result['content']).replaceAll(/\d+\.\ds/g, 'S.Ss')).toBe(
        [
          JSON.stringify({ agent_id: walked, name: 'walker' }),
          'copy done',
          [
            'Delegation: two steps\nSubtasks: 2\n\n',
            '--- Subtask 1: first ---\nStatus: completed\nfirst done\n',
            '--- Subtask 2: second ---\nStatus: completed\nsecond done\n',
            '--- Delegation Summary ---\nCompleted: 2/2\nTotal tool calls: 0\nTotal duration: S.Ss',
          ].join(''),
          'Sub-agent result (0 tool calls, S.Ss):\n\nspawned done',
          `[Agent "walker" (${walked}) has finished: succeeded]\n\nwalked`,
        ].join('\n===\n'),
      );
      // Its end was told with the results, once.
      expect(asked.toSorted()).toEqual([
        'copy 1',
        'first 1',
        'go 1',
        'go 2',
        'second 1',
        'second 1',
        'spawned 1',
      ]);
      expect(await tree(run)).toEqual([
        'deriver 0 succeeded',
        'walker 1 idle',
        'sub_agent 1 succeeded',
        'delegate_task 0 succeeded',
        'spawn_agent 1 succeeded',
        'spawn_agent 1 succeeded',
        'spawn_agent 1 succeeded',
      ]);
    });
  });
