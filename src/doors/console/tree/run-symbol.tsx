import { lookOf } from './state-words.ts';

/** How a run is doing, beside words that say the same. */
export function RunSymbol({ run }: { run: Parameters<typeof lookOf>[0] }) {
  const { tone, symbol } = lookOf(run);
  return (
    <span class={`symbol ${tone}`} aria-hidden="true">
      {symbol}
    </span>
  );
}
