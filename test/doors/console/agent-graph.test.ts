import { describe, expect, test } from 'vitest';
import { boxesOf, wayBetween } from '../../../src/doors/console/agents/graph-boxes.ts';
import { callersOf, calledBy, copyingTools, levelsBelow } from '../../../src/doors/console/agents/calls.ts';
import { fitting, moved, opening, zoomed } from '../../../src/doors/console/agents/view.ts';
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
    const box = (x: number, y: number, wide: number) => ({ x, y, width: wide });
    expect([Object.fromEntries(boxes), width, height]).toEqual([
      { lead: box(24, 55, 130), [long]: box(244, 24, 370.4), b: box(244, 86, 370.4) },
      // As much room on one side as on the other.
      24 + 130 + 90 + 370.4 + 24,
      24 + 2 * 62 + 24,
    ]);
  });

  test('has ways to the right, around on the right within a column, and back below', () => {
    const [one, other, below] = [
      { x: 10, y: 20, width: 100 },
      { x: 200, y: 120, width: 50 },
      { x: 10, y: 82, width: 100 },
    ];
    const near = { ...other, x: 130 };
    expect([
      wayBetween(one, other, false),
      wayBetween(one, near, false),
      wayBetween(one, below, true),
      wayBetween(other, one, true),
    ]).toEqual([
      'M110 43C155 43 155 143 200 143',
      'M110 43C140 43 100 143 130 143',
      'M110 43C155 43 155 105 110 105',
      'M225 166C225 200 60 200 60 66',
    ]);
  });

  test('lies in the middle of its frame, and is as large as can be read and as fits', () => {
    const plane = { width: 1_000, height: 400 };
    const wide = { width: 2_000, height: 600 };
    const narrow = { width: 500, height: 600 };
    const tiny = { width: 100, height: 100 };
    const nothing = { width: 0, height: 0 };
    expect(
      [wide, narrow, tiny, nothing].map((frame) => [fitting(plane, frame), opening(plane, frame)]),
    ).toEqual([
      [
        { x: 500, y: 100, scale: 1 },
        { x: 500, y: 100, scale: 1 },
      ],
      [
        { x: 0, y: 200, scale: 0.5 },
        { x: 0, y: 150, scale: 0.75 },
      ],
      [
        { x: 0, y: 10, scale: 0.2 },
        { x: 0, y: -100, scale: 0.75 },
      ],
      [
        { x: 0, y: 0, scale: 1 },
        { x: 0, y: 0, scale: 1 },
      ],
    ]);
    expect(fitting(nothing, wide)).toEqual({ x: 0, y: 0, scale: 1 });
  });

  test('is moved, and grows around the point that is looked at, within bounds', () => {
    const view = { x: 10, y: 20, scale: 1 };
    expect(moved(view, 3, -4)).toEqual({ x: 13, y: 16, scale: 1 });
    const at = { x: 110, y: 220 };
    expect([1.5, 4, 0.5, 0.01].map((factor) => zoomed(view, factor, at))).toEqual([
      { x: -40, y: -80, scale: 1.5 },
      { x: -90, y: -180, scale: 2 },
      { x: 60, y: 120, scale: 0.5 },
      { x: 90, y: 180, scale: 0.2 },
    ]);
  });
});
