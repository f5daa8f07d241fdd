import { SPAN_WORDS } from '../../../core/reports/words/span-words.ts';
import { KINDS, type TimeKind } from './spans.ts';

/** Kinds of time that have a pattern, for those who see no colours. */
const PATTERNED = ['tool', 'person', 'messages'] as const satisfies TimeKind[];

/** Patterns of kinds of time; once in a document, however many bars are filled with them. */
export function SpanPatterns() {
  return (
    <svg class="span-patterns" width={0} height={0} aria-hidden="true">
      <defs>
        {PATTERNED.map((kind) => (
          <pattern key={kind} id={`span-${kind}`} width={6} height={6} patternUnits="userSpaceOnUse">
            <rect class={`span-${kind}`} width={6} height={6} />
            <path class="span-ink" d={INKS[kind]} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

const INKS: Record<(typeof PATTERNED)[number], string> = {
  tool: 'M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2',
  person: 'M0,1.5 h6 M0,4.5 h6',
  messages: 'M1.5,1.5 h1.5 M4.5,4.5 h1.5',
};

/** What fills a kind of time whose colour alone is not enough: stronger than the rule of its class. */
export function fillOf(kind: TimeKind | 'unknown'): { style?: { fill: string } } {
  return PATTERNED.some((each) => each === kind) ? { style: { fill: `url(#span-${kind})` } } : {};
}

/** How high a stretch is drawn, as a part of its bar: a wait for others is lower than work, and rest is a line. */
export function heightOf(kind: TimeKind | 'unknown'): number {
  if (kind === 'idle' || kind === 'gap') return 0.2;
  return kind === 'agents' ? 0.5 : 1;
}

/** What the bars of the waterfall mean. */
export function SpanLegend() {
  return (
    <ul class="span-legend" aria-label="What the bars mean">
      {KINDS.map((kind) => (
        <li key={kind}>
          <Swatch kind={kind} /> {SPAN_WORDS[kind]}
        </li>
      ))}
    </ul>
  );
}

/** The look of a kind of time. */
export function Swatch({ kind }: { kind: TimeKind }) {
  const height = 10 * heightOf(kind);
  return (
    <svg class="span-swatch" width={16} height={10} aria-hidden="true">
      <rect class={`span-${kind}`} {...fillOf(kind)} width={16} height={height} y={(10 - height) / 2} />
    </svg>
  );
}
