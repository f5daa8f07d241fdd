import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { ShownPhase } from '../../../../src/core/reports/words/phase-words.ts';
import { treeText, type TreeRow } from '../../../../src/doors/cli/terminal/tree-text.ts';
import { cases } from '../../../fixtures/cases.ts';

const NONE = { own: 0, model: 0, tool: 0, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 };
const STARTED = '2026-01-31T10:00:00.000Z';
const now = Date.parse('2026-01-31T10:01:00.000Z');

function row(id: string, more: Partial<TreeRow> & { nanoUsd?: number } = {}): TreeRow {
  const { nanoUsd, ...rest } = more;
  return {
    id,
    agent: id,
    status: 'succeeded',
    startedAt: STARTED,
    ...(!['running', 'waiting', 'interrupted'].includes(rest.status ?? '') && {
      endedAt: '2026-01-31T10:00:01.500Z',
    }),
    usage: {
      turns: 1,
      toolCalls: 0,
      inputTokens: 1200,
      outputTokens: 30,
      ...(nanoUsd !== undefined && { nanoUsd }),
    },
    ...rest,
  };
}
const under = (parent: string) => ({ parent: { run: parent } });

describe('a tree of runs', () => {
  it('says how long each took and what it cost, where that is known', () => {
    const rows = [
      row('top', { nanoUsd: 12_345_678 }),
      row('free', { nanoUsd: 0, ...under('top') }),
      row('unknown', under('top')),
    ];
    expect(treeText(rows, { now })).toEqual([
      '✓  top        succeeded  1 turn  1,200 in, 30 out  1.5s  $0.0123',
      '✓  ├ free     succeeded  1 turn  1,200 in, 30 out  1.5s',
      '✓  └ unknown  succeeded  1 turn  1,200 in, 30 out  1.5s',
    ]);
    const open = (['running', 'interrupted'] as const).flatMap((status) =>
      treeText([{ ...row('top', { status }), times: { ...NONE, model: 8_000, gap: 90_000 } }], { now }),
    );
    expect(open).toEqual([
      '▸  top  running  1 turn  1,200 in, 30 out  60.0s',
      '?  top  interrupted  1 turn  1,200 in, 30 out  8.0s',
    ]);
  });

  const busy = [
    row('digest', { status: 'running', note: 'What matters here?' }),
    row('facts', { note: 'Find the facts of the text that follows', ...under('digest') }),
    row('risks', {
      status: 'waiting',
      note: 'waits 30.0s: rate_limit: too many requests',
      ...under('digest'),
    }),
    row('actions', { status: 'failed', note: 'auth: no such key', nanoUsd: 5_000_000, ...under('digest') }),
  ];

  it.each([
    [
      40,
      [
        '▸  digest     60.0s  What matters here?',
        '✓  ├ facts     1.5s  Find the facts of…',
        '…  ├ risks    60.0s  waits 30.0s: rate_…',
        '✗  └ actions   1.5s  auth: no such key',
      ],
    ],
    [
      80,
      [
        '▸  digest     running    1 turn  60.0s          What matters here?',
        '✓  ├ facts    succeeded  1 turn   1.5s          Find the facts of the text that…',
        '…  ├ risks    waiting    1 turn  60.0s          waits 30.0s: rate_limit: too ma…',
        '✗  └ actions  failed     1 turn   1.5s  $0.005  auth: no such key',
      ],
    ],
    [
      120,
      [
        '▸  digest     running    1 turn  1,200 in, 30 out  60.0s          What matters here?',
        '✓  ├ facts    succeeded  1 turn  1,200 in, 30 out   1.5s          Find the facts of the text that follows',
        '…  ├ risks    waiting    1 turn  1,200 in, 30 out  60.0s          waits 30.0s: rate_limit: too many requests',
        '✗  └ actions  failed     1 turn  1,200 in, 30 out   1.5s  $0.005  auth: no such key',
      ],
    ],
  ])('fits %i columns, with the most useful of them', (width, lines) => {
    expect(treeText(busy, { now, width })).toEqual(lines);
  });

  it('keeps to its columns with any text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.constantFrom('漢', '👩‍👩‍👧', 'e\u0301', '🇩🇪', 'ｗ', 'a', ' ', '\n')).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 200 }),
        fc.array(fc.tuple(text, text), { minLength: 1 }),
        (width, all) => {
          const rows = all.map(([agent, note], index) =>
            row(String(index), { agent, note, ...(index > 0 && under('0')) }),
          );
          const lines = treeText(rows, { now, width });
          expect(lines).toHaveLength(rows.length);
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: cases(100) },
    );
  });

  it('ends each line with the whole id of the run where that is asked for', () => {
    const id = 'facts-0123456789abcd-t1c1';
    const rows = [row('digest'), row(id, { agent: 'facts', ...under('digest') })];
    for (const width of [20, 40, 80, 200]) {
      expect(treeText(rows, { now, width, ids: true })[1]?.endsWith(`  ${id}`)).toBe(true);
    }
  });
});

describe('a tree that is higher than the terminal', () => {
  const kid = (index: number, status: ShownPhase = 'succeeded') =>
    row(`kid${index}`, {
      status,
      ...under('top'),
      ...(status !== 'running' && { endedAt: new Date(now + index).toISOString() }),
    });
  const names = (lines: string[]) => lines.map((line) => /(?:top|kid\d+)/.exec(line)?.[0] ?? line);

  it('folds what ended first into a line that counts it', () => {
    const rows = [
      row('top', { status: 'running' }),
      kid(1, 'failed'),
      kid(2),
      kid(3),
      kid(4),
      kid(5, 'running'),
    ];
    expect(names(treeText(rows, { now, height: 6 }))).toEqual([
      'top',
      'kid1',
      'kid2',
      'kid3',
      'kid4',
      'kid5',
    ]);
    expect(names(treeText(rows, { now, height: 5 }))).toEqual([
      'top',
      'kid3',
      'kid4',
      'kid5',
      '+ 2 ended: 1 failed, 1 succeeded',
    ]);
    expect(names(treeText(rows, { now, height: 3 }))).toEqual([
      'top',
      'kid5',
      '+ 4 ended: 1 failed, 3 succeeded',
    ]);
  });

  it('keeps every run at work, and those that it belongs to', () => {
    const statuses = fc.array(fc.constantFrom<ShownPhase>('running', 'succeeded', 'failed'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(statuses, fc.nat(60), (all, extra) => {
        const rows = [row('top', { status: 'running' }), ...all.map((status, index) => kid(index, status))];
        const working = rows.filter(({ status }) => status === 'running');
        const height = working.length + 1 + extra;
        const lines = treeText(rows, { now, height });
        expect(lines.length).toBeLessThanOrEqual(height);
        expect(names(lines)).toEqual(expect.arrayContaining(working.map(({ id }) => id)));
      }),
    );
  });

  it('counts those at work for which there is no room', () => {
    const rows = [
      row('top', { status: 'running' }),
      kid(1),
      ...[2, 3, 4, 5].map((index) => kid(index, 'running')),
    ];
    expect(names(treeText(rows, { now, height: 4 }))).toEqual([
      'top',
      'kid2',
      'kid3',
      '+ 1 ended: 1 succeeded; 2 more at work',
    ]);
  });
});
