import { expect, test } from 'vitest';
import { visitAt } from '../../../src/doors/console/home/last-visit.ts';
import { spendingOf } from '../../../src/doors/console/home/spending.ts';
import { successShare } from '../../../src/doors/console/shared/figures.ts';
import { contextOf, readTextFiles } from '../../../src/doors/console/steering/text-files.ts';

const NOW = Date.parse('2026-01-31T10:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test('all of the last day is new on a first visit, and then what came since the last one', () => {
  const first = visitAt(NOW, undefined);
  expect(first).toEqual({ since: NOW - DAY, seen: NOW });
  // A reload makes nothing old.
  const reloaded = visitAt(NOW + 29 * MINUTE, first);
  expect(reloaded).toEqual({ since: NOW - DAY, seen: NOW + 29 * MINUTE });
  expect(visitAt(NOW + 3 * DAY, reloaded)).toEqual({ since: NOW + 29 * MINUTE, seen: NOW + 3 * DAY });
});

const row = (agent: string, day: string, usd: number, failed = 0) => ({
  agent,
  day,
  runs: 2,
  trees: 2,
  tokens: 10,
  succeeded: 2 - failed,
  failed,
  usd,
});

test('what agents spent is added up by day, the dearest first, and small ones together', () => {
  const rows = [
    row('a', '2026-01-31', 1),
    row('a', '2026-01-29', 2, 1),
    row('b', '2026-01-30', 5),
    // Before the days that are shown.
    ...['c', 'd', 'e', 'f', 'g'].map((agent) => row(agent, '2026-01-30', 0.5)),
  ];
  const { days, agents, total, isPriced } = spendingOf(rows, NOW, 3);
  expect(days).toEqual(['2026-01-29', '2026-01-30', '2026-01-31']);
  expect(agents.map(({ agent, usd }) => [agent, usd])).toEqual([
    ['b', 5],
    ['a', 3],
    ['c', 0.5],
    ['d', 0.5],
    ['e', 0.5],
    [undefined, 1],
  ]);
  expect(agents[1]?.daily).toEqual([
    { runs: 2, failed: 1, usd: 2 },
    { runs: 0, failed: 0, usd: 0 },
    { runs: 2, failed: 0, usd: 1 },
  ]);
  expect([total.usd, total.runs, total.failed, isPriced]).toEqual([10.5, 16, 1, true]);
  expect(spendingOf([{ ...row('a', '2026-01-31', 1), unpriced: 1 }], NOW, 3).isPriced).toBe(false);
});

test('up to six agents are told apart, among them what no agent is named for', () => {
  const { agent: _agent, ...nobody } = row('', '2026-01-31', 3);
  const spentBy = (count: number) => {
    const rows = [
      nobody,
      ...Array.from({ length: count - 1 }, (_, at) => row(`a${at}`, '2026-01-31', 2 - at / 4)),
    ];
    return spendingOf(rows, NOW, 1).agents.map(({ agent, runs, usd }) => [agent, runs, usd]);
  };
  const first = [
    ['', 2, 3],
    ['a0', 2, 2],
    ['a1', 2, 1.75],
    ['a2', 2, 1.5],
    ['a3', 2, 1.25],
  ];
  expect([spentBy(6), spentBy(7)]).toEqual([
    [...first, ['a4', 2, 1]],
    [...first, [undefined, 4, 1.75]],
  ]);
});

test.each([
  [{ succeeded: 999, failed: 1 }, '99%'],
  [{ succeeded: 4, failed: 0 }, '100%'],
  [{ succeeded: 0, failed: 0 }, undefined],
])('of %j the share of successes is %s', (of, share) => expect(successShare(of)).toBe(share));

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

test('files of text become what a run is about, and all others are refused in words', async () => {
  const { files, refusals } = await readTextFiles(
    [
      file('notes.md', 'Grüße'),
      file('photo.png', new Uint8Array([0x89, 0x50, 0xff])),
      file('zeros.bin', 'a\0b'),
      file('long.txt', 'x'.repeat(600_000)),
      file('notes.md', 'Newer'),
    ],
    [{ name: 'before.txt', text: 'first' }],
  );
  expect(files).toEqual([
    { name: 'before.txt', text: 'first' },
    { name: 'notes.md', text: 'Newer' },
  ]);
  expect(refusals).toEqual([
    'photo.png is neither a text nor a PNG, JPEG, GIF or WebP image or a PDF',
    'zeros.bin is neither a text nor a PNG, JPEG, GIF or WebP image or a PDF',
    'long.txt is too long: all files together may have 600 KB',
  ]);
  const many = Array.from({ length: 11 }, (_, index) => file(`${index}.txt`, 'x'));
  expect((await readTextFiles(many, [])).refusals).toEqual(['10.txt is one too many: there may be 10 files']);
});

test('one file is the text itself, as on standard input; several are told apart by their names', () => {
  const one = { name: 'a.md', text: 'A' };
  expect(contextOf(' ', [one])).toBe('A');
  expect(contextOf('typed', [])).toBe('typed');
  expect(contextOf('', [one, { name: 'b.md', text: 'B' }])).toBe('## a.md\n\nA\n\n## b.md\n\nB');
  expect(contextOf('typed', [one])).toBe('typed\n\n## a.md\n\nA');
});
