import { expect, it } from 'vitest';
import { treeText, type TreeRow } from '../../../src/cli/terminal/tree-text.ts';

it('a tree of runs says how long each took and what it cost, where that is known', () => {
  const row = (id: string, nanoUsd?: number, parent?: string): TreeRow => ({
    id,
    agent: id,
    status: 'succeeded',
    startedAt: '2026-01-31T10:00:00.000Z',
    endedAt: '2026-01-31T10:00:01.500Z',
    usage: {
      turns: 1,
      toolCalls: 0,
      inputTokens: 1200,
      outputTokens: 30,
      ...(nanoUsd !== undefined && { nanoUsd }),
    },
    ...(parent !== undefined && { parent: { run: parent } }),
  });
  const rows = [row('top', 12_345_678), row('free', 0, 'top'), row('unknown', undefined, 'top')];
  expect(treeText(rows, 0)).toEqual([
    'top        succeeded      1 turn  1,200 in, 30 out      1.5s  $0.0123',
    '├ free     succeeded      1 turn  1,200 in, 30 out      1.5s',
    '└ unknown  succeeded      1 turn  1,200 in, 30 out      1.5s',
  ]);
  const { endedAt: _, ...unended } = row('top');
  const now = Date.parse('2026-01-31T10:01:00.000Z');
  expect(['running', 'interrupted'].flatMap((status) => treeText([{ ...unended, status }], now))).toEqual([
    'top  running        1 turn  1,200 in, 30 out      60.0s',
    'top  interrupted    1 turn  1,200 in, 30 out',
  ]);
});
