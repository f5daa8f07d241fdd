import type { HookReport } from '../../../core/reports/run-schemas.ts';
import { visible } from '../shared/visible.ts';

const WORDS = { allow: 'allowed it', deny: 'denied it', replace: 'replaced it', ask: 'had a person asked' };

/** What hooks decided about a call, or about the text of a turn. */
export function HookDecisions({ hooks = [] }: { hooks: readonly HookReport[] | undefined }) {
  if (hooks.length === 0) return null;
  return (
    <ul class="hooks">
      {hooks.map((each) => (
        <li>{hookWords(each)}</li>
      ))}
    </ul>
  );
}

/** A decision in one line: `Hook "check" denied it after the call: not here`. */
export function hookWords({ hook, on, decision, reason, fault }: HookReport): string {
  const when = on === 'after_call' ? ' after the call' : '';
  const why = fault === undefined ? reason : `it failed - ${fault}`;
  return visible(
    `Hook ${JSON.stringify(hook)} ${WORDS[decision]}${when}${why === undefined ? '' : `: ${why}`}`,
  );
}
