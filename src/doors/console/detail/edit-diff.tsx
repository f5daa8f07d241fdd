import { diffLines } from 'diff';
import type { Call } from './turns.ts';
import { visible } from '../shared/visible.ts';

/** How many equal lines are shown before and after a change. */
const AROUND = 3;
/** Longer texts take too long to compare. */
const MAX_CHARACTERS = 200_000;

interface Edit {
  path: string;
  before: string;
  after: string;
}

/** The change that a call makes in a file, if its arguments tell. */
export function editOf({ name, arguments: given }: Call): Edit | undefined {
  const { path, old_string: before, new_string: after, content } = given;
  if (typeof path !== 'string') return undefined;
  if (name === 'write_file' && typeof content === 'string') return { path, before: '', after: content };
  if (name !== 'edit_file' || typeof before !== 'string' || typeof after !== 'string') return undefined;
  return { path, before, after };
}

const WORDS = { '+': 'added', '-': 'removed', ' ': '' };

/** The lines that an edit takes out and puts in. */
export function EditDiff({ edit: { path, before, after } }: { edit: Edit }) {
  if (before.length + after.length > MAX_CHARACTERS) return <p>Too long to be compared.</p>;
  return (
    <div class="diff" role="group" aria-label={`Changes of ${path}`} tabIndex={0}>
      {linesOf(before, after).map(({ sign, text }) => (
        <code class={`line ${sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}`}>
          <span aria-hidden="true">{sign}</span>
          {sign !== ' ' && <span class="spoken">{WORDS[sign]}: </span>}
          {visible(text)}
          {'\n'}
        </code>
      ))}
    </div>
  );
}

interface Line {
  sign: '+' | '-' | ' ';
  text: string;
}

function linesOf(before: string, after: string): Line[] {
  const parts = diffLines(before, after);
  return parts.flatMap(({ added, removed, value }, index): Line[] => {
    const lines = value.replace(/\n$/, '').split('\n');
    const sign = added ? '+' : removed ? '-' : ' ';
    if (sign !== ' ') return lines.map((text) => ({ sign, text }));
    const head = index === 0 ? 0 : AROUND;
    const tail = index === parts.length - 1 ? 0 : AROUND;
    if (lines.length <= head + tail + 1) return lines.map((text) => ({ sign, text }));
    const left = lines.length - head - tail;
    const shown = [
      ...lines.slice(0, head),
      `… ${left} lines are the same`,
      ...lines.slice(lines.length - tail),
    ];
    return shown.map((text) => ({ sign, text }));
  });
}
