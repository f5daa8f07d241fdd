import { count } from '../../../counted.ts';
import type { RunResource } from '../../api/answers.ts';
import { outcomeOf, subjectOf } from '../detail/call-outcome.ts';
import type { TurnBlock } from '../detail/turns.ts';
import { hrefOf } from '../route.ts';
import { dollars, duration } from '../shared/figures.ts';
import { RichText } from '../shared/rich-text.tsx';
import { visible } from '../shared/visible.ts';

export interface ComparedTurnProps {
  /** "" where both have it. */
  side: string;
  run: RunResource;
  block: TurnBlock | undefined;
}

/** A turn beside that of another run: what it was told, what it answered, which calls it made, and what that took. */
export function ComparedTurn({ side, run, block }: ComparedTurnProps) {
  if (block === undefined) {
    return (
      <section class="card" aria-label={`${side}: no turn`}>
        <p class="muted">{side} has no turn of its own here</p>
      </section>
    );
  }
  const { turn, said, answer, calls } = block;
  const { number, duration_ms: took, input_tokens: read, output_tokens: written, usd } = turn;
  const { run_id: id, status } = run;
  return (
    <section class="card" aria-label={side === '' ? `Turn ${number}` : `${side}: turn ${number}`}>
      <h3>
        {side !== '' && <span class="badge">{side}</span>}{' '}
        <a href={hrefOf({ view: 'run', top: id, selected: id, at: { turn: number } })}>Turn {number}</a>
      </h3>
      <p class="muted">
        {duration(took)} · {count(read + written)} tokens
        {usd !== null && ` · ${dollars(usd)}`}
      </p>
      {said.map(({ text }, index) => (
        <div key={index} class="compare-told">
          <RichText text={text} />
        </div>
      ))}
      {answer.text !== '' && <RichText text={answer.text} />}
      {calls.length > 0 && (
        <ul class="compare-calls">
          {calls.map(({ call, result }, index) => {
            const { kind, word } = outcomeOf(call, result, status === 'running' || status === 'idle');
            return (
              <li key={index}>
                <strong>{visible(call.name)}</strong> <bdi class="code">{visible(subjectOf(call))}</bdi>{' '}
                <span class={kind === 'failed' ? 'bad' : 'muted'}>{word}</span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
