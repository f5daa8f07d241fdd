import { describe, expect, test } from 'vitest';
import { boxesOf } from '../../../src/doors/console/agents/graph-boxes.ts';
import { callersOf, calledBy, copyingTools, levelsBelow } from '../../../src/doors/console/agents/calls.ts';
import { layered } from '../../../src/doors/console/agents/layers.ts';
import { anAgent, calling } from './pictures/answers.ts';

describe('the graph of agents', () => {
  const agents = [
    anAgent('lead', calling('coder', 'tester', 'gone')),
    anAgent('coder', {
      ...calling('helper'),
      calls: [...calling('helper').calls, { agent: 'coder', by: 'fork' }],
    }),
    anAgent('tester', calling('helper', 'lead')),
    anAgent('helper'),
    anAgent('alone'),
  ];
  const [lead, coder] = agents;

  test('knows who calls whom, and who starts copies of itself', () => {
    expect(lead && [calledBy(lead), copyingTools(lead)]).toEqual([['coder', 'tester', 'gone'], []]);
    expect(coder && [calledBy(coder), copyingTools(coder)]).toEqual([['helper'], ['fork']]);
    expect([callersOf('helper', agents), callersOf('coder', agents), callersOf('alone', agents)]).toEqual([
      ['coder', 'tester'],
      ['lead'],
      [],
    ]);
    expect([...levelsBelow('lead', agents)]).toEqual([
      ['lead', 0],
      ['coder', 1],
      ['tester', 1],
      ['gone', 1],
      ['helper', 2],
    ]);
    expect([...levelsBelow('alone', agents)]).toEqual([['alone', 0]]);
  });

  const nodes = (calls: Record<string, string[]>) =>
    Object.entries(calls).map(([name, list]) => ({ name, calls: list }));
  const spots = (calls: Record<string, string[]>) =>
    Object.fromEntries([...layered(nodes(calls))].map(([name, { column, row }]) => [name, [column, row]]));

  test('has agents as far to the right as calls lead to them at least, and those without calls last', () => {
    expect(
      spots({
        helper: [],
        alone: [],
        lead: ['coder', 'helper', 'lead', 'unknown'],
        coder: ['helper', 'deep'],
        deep: [],
      }),
    ).toEqual({
      lead: [0, 0],
      coder: [1, expect.any(Number)],
      helper: [1, expect.any(Number)],
      deep: [2, 0],
      alone: [3, 0],
    });
    // In a circle, it begins where most is called.
    expect(spots({ b: ['a'], a: ['b', 'c', 'd'], c: ['a'], d: [] })).toMatchObject({
      a: [0, 0],
      d: [1, expect.any(Number)],
    });
  });

  test('has those next to each other that have callers in common, and breaks a level that is too high', () => {
    const { x1, x2, y1, y2 } = spots({ x: ['x1', 'x2'], y: ['y1', 'y2'], x1: [], y1: [], x2: [], y2: [] });
    expect([x1, x2, y1, y2]).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    const many = Array.from({ length: 15 }, (_, index) => `n${index}`);
    const places = Object.values(spots({ top: many, ...Object.fromEntries(many.map((name) => [name, []])) }));
    expect(places.filter(([column]) => column === 1)).toHaveLength(8);
    expect(places.filter(([column]) => column === 2)).toHaveLength(7);
    expect(Math.max(...places.map(([, row]) => row ?? 0))).toBe(7);
  });

  test('has boxes that are wide enough for their names, apart, and in the middle of the plane', () => {
    const long = 'a-name-that-is-much-longer-than-the-others';
    const { boxes, width, height } = boxesOf([
      anAgent('lead', calling(long, 'b')),
      anAgent(long),
      anAgent('b'),
    ]);
    const [top, one, other] = ['lead', long, 'b'].map((name) => boxes.get(name));
    if (!top || !one || !other) expect.fail('a box is missing');
    expect(one.width).toBe(other.width);
    expect(one.width).toBeGreaterThan(top.width * 2);
    expect(one.x).toBe(other.x);
    expect(one.x).toBeGreaterThan(top.x + top.width);
    expect(top.y).toBe((one.y + other.y) / 2);
    expect(Math.abs(one.y - other.y)).toBeGreaterThan(46);
    // As much room on one side as on the other.
    expect(width - (one.x + one.width)).toBe(top.x);
    expect(height - (Math.max(one.y, other.y) + 62)).toBe(Math.min(one.y, other.y));
  });
});
