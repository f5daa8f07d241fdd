import { expect, test } from 'vitest';
import { toForms } from '../src/doors/api/mcp/elicitation.ts';
import { jsonLine, oneLine, printable } from '../src/doors/cli/terminal/printable.ts';
import { visible } from '../src/doors/console/shared/visible.ts';
import { createRunLog } from '../src/places/aws/run-log.ts';
import { plain } from '../src/tools/mcp/client/words.ts';

/** What a log has of a text that somebody else wrote. */
function logged(message: string): string {
  let written = '';
  const log = createRunLog({
    environment: 'prod',
    level: 'info',
    write: (line) => (written = line),
    now: () => 0,
  });
  log({ type: 'warning', run: 'r', root: 'r', agent: 'a', model: 'm/x', depth: 0, message });
  return written.slice(0, -1);
}

/** What a client of MCP shows of a question. */
function form(text: string): string {
  const at = { run: 'r', root: 'r', turn: 1, call: 1, agent: 'a', askedAt: '' };
  const approval = { tool: 't', arguments: { [text]: text } };
  return JSON.stringify(toForms([{ ...at, question: text, choices: [text], approval }]), undefined, 1);
}

/** Each with the line ends and tabs that it may have. */
const DOORS: [string, (text: string) => string, RegExp][] = [
  ['the terminal', printable, /[\n\t]/],
  ['a line of the terminal', oneLine, /$^/],
  ['JSON on the terminal', (text) => jsonLine([text]), /$^/],
  ['the page', visible, /[\n\t]/],
  ['a form of MCP', form, /\n/],
  ['what models are told of a server', plain, /[\n\t]/],
  ['a log', logged, /$^/],
];

const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb]/u;

test.each(DOORS)('%s has no hidden character of all that there are, and every other one', (_, shown, may) => {
  const passed: string[] = [];
  const lost: string[] = [];
  const PER_TEXT = 0x400;
  for (let from = 0; from <= 0x10ffff; from += PER_TEXT) {
    // Apart, so that none is part of another.
    const all = Array.from({ length: PER_TEXT }, (_, index) => String.fromCodePoint(from + index));
    const text = shown(all.join('x'));
    const seen = new Set(text);
    for (const character of seen) {
      if (HIDDEN.test(character) && !may.test(character)) passed.push(character);
    }
    const clean = all.filter((each) => !HIDDEN.test(each));
    if (from > 0x7f) lost.push(...clean.filter((each) => !seen.has(each)));
  }
  expect(passed).toEqual([]);
  expect(lost.filter((each) => !/\s/.test(each))).toEqual([]);
});
