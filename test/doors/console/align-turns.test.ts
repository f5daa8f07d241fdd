import { describe, expect, test } from 'vitest';
import { alignTurns, type ComparedTurns } from '../../../src/doors/console/compare/align-turns.ts';
import type { TurnBlock } from '../../../src/doors/console/detail/turns.ts';

const TURN = {
  finished_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1,
  input_tokens: 1,
  output_tokens: 1,
  usd: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};

/** A turn that answers with a text. */
const turn = (number: number, text: string): TurnBlock => {
  const whole = { number, ...TURN };
  return { turn: whole, said: [], answer: { role: 'assistant', text, calls: [], turn: whole }, calls: [] };
};

const run = (id: string, texts: string[], from?: { run: string; turn: number }): ComparedTurns => ({
  run: {
    run_id: id,
    ...(from !== undefined && { forked_from: { root: from.run, run_id: from.run, turn: from.turn } }),
  },
  turns: texts.map((text, index) => turn(index + 1, text)),
});

const shown = (left: ComparedTurns, right: ComparedTurns) => {
  const { common, pairs } = alignTurns(left, right);
  const text = (block: TurnBlock | undefined) => block?.answer.text ?? '–';
  return [
    common,
    ...pairs.map((pair) => `${text(pair.left)} ${pair.isSame ? '=' : '|'} ${text(pair.right)}`),
  ];
};

describe('turns of two runs', () => {
  const origin = run('o', ['a', 'b', 'c', 'd']);

  test('stand beside each other from where one was forked from the other', () => {
    const copy = run('x', ['C', 'D', 'E'], { run: 'o', turn: 3 });
    expect(shown(origin, copy)).toEqual([2, 'c | C', 'd | D', '– | E']);
    expect(shown(copy, origin)).toEqual([2, 'C | c', 'D | d', 'E | –']);
  });

  test('have in common what is the same after that point, too', () => {
    expect(shown(origin, run('x', ['b', 'C'], { run: 'o', turn: 2 }))).toEqual([2, 'c | C', 'd | –']);
  });

  test('of two copies begin where the earlier one was made', () => {
    const [early, late] = [
      run('x', ['B', 'C'], { run: 'o', turn: 2 }),
      run('y', ['C'], { run: 'o', turn: 3 }),
    ];
    expect(shown(early, late)).toEqual([1, 'B | –', 'C = C']);
  });

  test('of strangers are counted from the first, without those that are equal', () => {
    expect(shown(origin, run('s', ['a', 'X']))).toEqual([1, 'b | X', 'c | –', 'd | –']);
    expect(shown(run('n', []), run('m', []))).toEqual([0]);
  });
});
