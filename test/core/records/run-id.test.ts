import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  childOf,
  executionName,
  holderOfExecution,
  isRunId,
  newRunId,
  runOfExecution,
  treeKey,
} from '../../../src/core/records/run-id.ts';

const agentName = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
const anyName = fc.oneof(agentName, fc.string({ minLength: 1 }), fc.constantFrom('../x', '漢字', '\ud800'));
const step = fc.record({
  agent: anyName,
  turn: fc.integer({ min: 1, max: 9999 }),
  call: fc.integer({ min: 1, max: 100 }),
});
const top = (agent: string, now = Date.now()) => ({ id: newRunId(agent, now), path: '' });

describe('ids of runs', () => {
  test('say agent, tree and place', () => {
    const digest = top('digest', Date.UTC(2026, 0, 2));
    const key = treeKey(digest.id);
    expect(digest.id).toBe(`digest-${key}`);
    const child = childOf(childOf(digest, 1, 2, 'facts'), 3, 1, 'critic');
    expect(child).toEqual({ id: `critic-${key}-t1c2_t3c1`, path: 't1c2_t3c1' });
  });

  test('name the first step and a digest where the place is too long', () => {
    let run = top('a', 0);
    for (let level = 0; level < 5; level++) run = childOf(run, 50, 100, 'kid');
    expect(run.path).toBe('t50c100_t50c100_t50c100_t50c100_t50c100');
    expect(run.id).toMatch(/^kid-[0-9a-z]{14}-t50c100_[0-9a-z]{12}$/);
  });

  test('are at most 64 characters, and 80 as names of executions, twelve levels down', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        agentName,
        fc.integer({ min: 1, max: 999 }),
        (steps, agent, holder) => {
          let run = top(agent);
          const key = treeKey(run.id);
          for (const { turn, call, agent: name } of steps) run = childOf(run, turn, call, name);
          expect(isRunId(run.id)).toBe(true);
          expect(run.id.length).toBeLessThanOrEqual(64);
          expect(treeKey(run.id)).toBe(key);
          for (const redrives of [0, 1, 999]) {
            const name = executionName(run.id, holder) + (redrives > 0 ? `-d${redrives}` : '');
            expect(name).toMatch(/^[0-9A-Za-z_-]{1,80}$/);
            expect(runOfExecution(name)).toBe(run.id);
            expect(holderOfExecution(name)).toBe(holder + redrives);
          }
        },
      ),
    );
  });

  test('differ wherever runs of a tree differ', () => {
    const place = fc.array(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 100 })), {
      minLength: 1,
      maxLength: 8,
    });
    const root = top('a', 0);
    const idAt = (steps: [number, number][]) =>
      steps.reduce((run, [turn, call]) => childOf(run, turn, call, 'kid'), root).id;
    fc.assert(
      fc.property(place, place, (one, other) => {
        expect(idAt(one) === idAt(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  test('sort by time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 - 2 }), (at) => {
        const key = (now: number) => treeKey(newRunId('a', now));
        return key(at) < key(at + 1);
      }),
    );
  });

  test('of executions that others named are made from the name, always the same', () => {
    const id = runOfExecution('a4f0c5e2-0d6c-4c0f-9d3f-0c9f6f7f1a2b');
    expect(isRunId(id)).toBe(true);
    expect(runOfExecution('a4f0c5e2-0d6c-4c0f-9d3f-0c9f6f7f1a2b')).toBe(id);
    expect(runOfExecution('another')).not.toBe(id);
    expect(runOfExecution('another-r2')).not.toBe(runOfExecution('another'));
    expect(runOfExecution(id)).toBe(id);
  });

  test.each([
    '',
    'digest',
    'digest-0000000000000',
    'digest-00000000000000-',
    'digest-00000000000000-x1',
    'digest-00000000000000-t1',
    `${'a'.repeat(25)}-00000000000000`,
    '../00000000000000',
    'digest-00000000000000#x',
    `digest-00000000000000-t1c1${'_t1c1'.repeat(9)}`,
  ])('are nothing else: %s', (text) => {
    expect(isRunId(text)).toBe(false);
  });

  test('are taken apart only where they are ids', () => {
    expect(() => treeKey('digest')).toThrow(new RangeError('not the id of a run: "digest"'));
  });
});
