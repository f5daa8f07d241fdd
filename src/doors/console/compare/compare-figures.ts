import { count } from '../../../counted.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import type { RunResource } from '../../api/answers.ts';
import { dollars, duration } from '../shared/figures.ts';
import { stateName } from '../tree/state-words.ts';

/** One line of the table: the same figure of both runs, and by how much the right one differs. */
export interface ComparedFigure {
  name: string;
  left: string;
  right: string;
  /** "" where there is none. */
  difference: string;
}

/**
 * How two runs did, with everything below them.
 * @param now milliseconds since 1970, for those that are at work
 */
export function compareFigures(left: RunResource, right: RunResource, now: number): ComparedFigure[] {
  const words = (name: string, of: (run: RunResource) => string): ComparedFigure => {
    const [one, other] = [of(left), of(right)];
    return { name, left: one, right: other, difference: one === other ? 'the same' : 'another' };
  };
  const amount = (
    name: string,
    of: (run: RunResource) => number | null,
    text: (value: number) => string = count,
  ): ComparedFigure => {
    const [one, other] = [of(left), of(right)];
    const shown = (value: number | null) => (value === null ? 'not known' : text(value));
    const isKnown = one !== null && other !== null;
    return {
      name,
      left: shown(one),
      right: shown(other),
      difference: isKnown ? signed(other - one, text) : '',
    };
  };
  return [
    words('State', (run) => stateName(run)),
    words('Agent', ({ agent }) => agent),
    words('Model', ({ model }) => model),
    words('Version', ({ version }) => version ?? 'not known'),
    amount('Agents', ({ tree }) => tree.runs),
    amount('Turns', ({ tree }) => tree.turns),
    amount('Tool calls', ({ tree }) => tree.tool_calls),
    amount('Tokens in', ({ tree }) => tree.input_tokens),
    amount('Tokens out', ({ tree }) => tree.output_tokens),
    amount('Cost', ({ tree }) => tree.usd, dollars),
    amount('Time', (run) => elapsed(run, now), duration),
  ];
}

function signed(difference: number, text: (value: number) => string): string {
  if (difference === 0) return 'the same';
  return `${difference > 0 ? '+' : '−'}${text(Math.abs(difference))}`;
}
