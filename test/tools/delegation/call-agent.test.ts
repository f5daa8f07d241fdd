import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../../src/core/records/message.ts';
import type { DelegationLimits } from '../../../src/core/records/plan.ts';
import { callAgent } from '../../../src/tools/delegation/call-agent.ts';

const limits: DelegationLimits = {
  subAgents: ['helper', 'runner'],
  depth: 0,
  maxDepth: 3,
  parallel: true,
  timeout: 0,
};

const asking = (delegation: DelegationLimits) => ({ agent: 'top', model: 'm/x', tools: [], delegation });
const define = (delegation: DelegationLimits) => callAgent.define(asking(delegation));
const plan = (written: ToolCall, delegation: DelegationLimits) => callAgent.plan(written, asking(delegation));
const call = (args: Record<string, unknown>) => ({ id: 'c1', name: 'call_agent', arguments: args });

describe('the tool as a model sees it', () => {
  test('names the agents that may be called', () => {
    expect(define(limits)).toEqual({
      name: 'call_agent',
      description:
        'Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result. Available agents: helper, runner',
      parameters: {
        type: 'object',
        properties: {
          agent: {
            type: 'string',
            description: 'Name of the sub-agent to invoke (must be one of: helper, runner)',
          },
          task: { type: 'string', description: 'What you need the sub-agent to do' },
          context: {
            type: 'string',
            description: 'Additional context from your conversation to pass along',
          },
        },
        required: ['agent', 'task'],
      },
    });
  });

  test('says whether its agents are waited for, or work beside it', () => {
    const { description, parameters } = define({ ...limits, background: 'always' }) ?? expect.fail();
    expect(description).toBe(
      'Delegate a task to a sub-agent, which works beside you with its own context. You get its id at once and go on; when it has finished, you are told its final result in a message. Available agents: helper, runner',
    );
    expect(Object.keys(parameters.properties ?? {})).toEqual(['agent', 'task', 'context']);
    expect(define({ ...limits, background: true })?.parameters.properties).toMatchObject({
      background: {
        type: 'boolean',
        description:
          'true: it works beside you. You get its id at once and go on; when it has finished, you are told its result in a message (default: false, you wait for its result)',
      },
    });
    expect(define({ ...limits, background: true })?.description).toBe(define(limits)?.description);
  });

  test.each([
    ['an agent without sub-agents', { ...limits, subAgents: [] }],
    ['an agent at the depth limit', { ...limits, depth: 3 }],
    ['an agent below the depth limit of its tree', { ...limits, depth: 2, maxDepth: 1 }],
  ])('is not offered to %s', (_, without) => {
    expect(define(without)).toBeUndefined();
  });

  test('is offered one level above the limit', () => {
    expect(define({ ...limits, depth: 2 })).toBeDefined();
  });
});

describe('a call', () => {
  test('becomes a delegation', () => {
    expect(plan(call({ agent: 'helper', task: 'look', context: 'here' }), limits)).toEqual({
      kind: 'delegate',
      agent: 'helper',
      task: 'look',
      context: 'here',
    });
  });

  test.each([
    ['numbers', { agent: 'helper', task: 42 }, '42', ''],
    ['objects', { agent: 'helper', task: { do: 'it' }, context: [1, null] }, '{"do":"it"}', '[1,null]'],
    ['booleans', { agent: 'helper', task: false }, 'false', ''],
    ['null as no context', { agent: 'helper', task: 'x', context: null }, 'x', ''],
  ])('takes %s for the strings that they mean', (_, args, task, context) => {
    expect(plan(call(args), limits)).toEqual({ kind: 'delegate', agent: 'helper', task, context });
  });

  const refusals: [string, Record<string, unknown>, Partial<DelegationLimits>, string][] = [
    ['no agent', {}, {}, 'call_agent error: "agent" argument is required'],
    ['an empty agent', { agent: '', task: 'x' }, {}, 'call_agent error: "agent" argument is required'],
    ['no task', { agent: 'helper' }, {}, 'call_agent error: "task" argument is required'],
    ['a blank task', { agent: 'helper', task: ' \n' }, {}, 'call_agent error: "task" argument is required'],
    [
      'an agent that is not listed',
      { agent: 'other', task: 'x' },
      {},
      'call_agent error: agent "other" is not in this agent\'s sub_agents list',
    ],
    [
      'a call at the depth limit',
      { agent: 'helper', task: 'x' },
      { depth: 3 },
      'call_agent error: maximum sub-agent depth (3) reached',
    ],
    [
      'an unlisted agent before the depth',
      { agent: 'other', task: 'x' },
      { depth: 3 },
      'call_agent error: agent "other" is not in this agent\'s sub_agents list',
    ],
    [
      'a missing agent before a missing task',
      { task: '' },
      {},
      'call_agent error: "agent" argument is required',
    ],
  ];
  test.each(refusals)('with %s is refused in words for the model', (_, args, changed, text) => {
    expect(plan(call(args), { ...limits, ...changed })).toEqual({
      kind: 'done',
      text,
      isError: true,
    });
  });

  test('never throws for any text of a model, and only ever reaches listed agents', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('agent', 'task', 'context', 'x'), fc.jsonValue()), (args) => {
        const planned = plan(call(args), limits);
        if (planned.kind !== 'delegate') return planned.kind === 'done' && planned.isError;
        return limits.subAgents.includes(planned.agent);
      }),
    );
  });
});
