import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childRunId, isRunId, newRunId, parseRunId, runIdOfExecution } from '../../src/runs/run-id.ts';

const agentName = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
const EXECUTION_NAME = /^[0-9A-Za-z_-]{1,80}$/;

describe('ids of runs', () => {
  test('say agent, tree and place', () => {
    const top = newRunId('digest', Date.UTC(2026, 0, 2));
    const child = childRunId(childRunId(top, 1, 2, 'facts'), 3, 1, 'critic');
    const { key } = parseRunId(top);
    expect(top).toBe(`digest-${key}`);
    expect(child).toBe(`critic-${key}-t1c2_t3c1`);
    expect(parseRunId(child)).toEqual({ key, path: 't1c2_t3c1' });
  });

  test('are names of executions, and can be taken apart, down to the last level of the largest tree', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            agent: fc.oneof(
              agentName,
              fc.string({ minLength: 1 }),
              fc.constantFrom('../x', '漢字', '\ud800'),
            ),
            turn: fc.integer({ min: 1, max: 50 }),
            call: fc.integer({ min: 1, max: 100 }),
          }),
          { maxLength: 5 },
        ),
        agentName,
        (steps, agent) => {
          let id = newRunId(agent, Date.now());
          const { key } = parseRunId(id);
          for (const step of steps) id = childRunId(id, step.turn, step.call, step.agent);
          expect(id).toMatch(EXECUTION_NAME);
          expect(parseRunId(id)).toEqual({
            key,
            path: steps.map((step) => `t${step.turn}c${step.call}`).join('_'),
          });
        },
      ),
    );
  });

  test('sort by time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 - 2 }), (at) => {
        const key = (now: number) => parseRunId(newRunId('a', now)).key;
        return key(at) < key(at + 1);
      }),
    );
  });

  test('of executions that others named are made from the name, always the same', () => {
    const id = runIdOfExecution('a4f0c5e2-0d6c-4c0f-9d3f-0c9f6f7f1a2b');
    expect(isRunId(id)).toBe(true);
    expect(runIdOfExecution('a4f0c5e2-0d6c-4c0f-9d3f-0c9f6f7f1a2b')).toBe(id);
    expect(runIdOfExecution('another')).not.toBe(id);
    expect(runIdOfExecution(id)).toBe(id);
  });

  test.each([
    '',
    '../x',
    'digest',
    'digest-short',
    'a/b-00000000000000',
    'digest-00000000000000-t1',
    '#-00000000000000',
  ])('are not %j', (text) => {
    expect(isRunId(text)).toBe(false);
    expect(() => parseRunId(text)).toThrow(RangeError);
  });
});
