import type { Costs } from '../../api/answers.ts';
import { dollars } from '../shared/figures.ts';

/** From here on people are told of a limit. */
const NEAR = 0.8;

/** How much of each limit per day is gone. */
export function LimitsToday({ limits }: Pick<Costs, 'limits'>) {
  return limits.map(({ key, of, limit_usd, used_usd }) => {
    const part = used_usd / limit_usd;
    return (
      <p key={key} class={`home-limit ${part >= NEAR ? 'near' : ''}`}>
        <span>
          {dollars(used_usd)} of {dollars(limit_usd)} today (UTC) for {of}
          {part >= 1 && ': nothing new is started'}
        </span>
        <meter
          value={used_usd}
          max={limit_usd}
          high={NEAR * limit_usd}
          aria-label={`Limit per day of ${of}`}
        />
      </p>
    );
  });
}
