import { writeFile } from 'node:fs/promises';
import { decode } from 'gpt-tokenizer/encoding/o200k_base';
import { KNOWN } from '../test/fixtures/tokenizers.ts';

/**
 * Chooses the fragments of src/core/spending/fragments.ts anew: npx tsx scripts/generate-fragments.ts
 *
 * A fragment is one token in every known tokenizer; those of the first lists are with a blank before them and without.
 * The ones are taken that save most. How often a fragment is used follows from its ids, which tokenizers give in the
 * order of frequency, and what it saves from the shorter fragments that would be in its place.
 */
const MOST_IDS = 150_000;
const LOWER_CASE = /^[a-z]{2,14}$/;

const LISTS = [
  {
    name: 'WORDS',
    is: 'In lower case, and with a capital first letter too.',
    most: 3_000,
    fits: (text: string) => LOWER_CASE.test(text) && isToken(text) && isToken(capital(text)),
  },
  {
    name: 'LOWER_CASE',
    is: 'As they are.',
    most: 600,
    fits: (text: string) => LOWER_CASE.test(text) && isToken(text),
  },
  {
    name: 'CAPITALS',
    is: 'As they are.',
    most: 400,
    fits: (text: string) => /^[A-Z]{2,12}$/.test(text) && isToken(text),
  },
  {
    name: 'PUNCTUATION',
    is: "As it is, some of it with the line's end after it.",
    most: 300,
    fits: (text: string) => /^(?=.{2})[!-/:-@[-`{-~]{1,8}\n{0,2}$/s.test(text) && isToken(text),
  },
  {
    name: 'AFTER_BLANK',
    is: 'Whole words that are one token with a blank before them, and more than one without.',
    most: 3_000,
    fits: (text: string) => /^([a-z]{4,14}|[A-Z]{3,12})$/.test(text) && isOne(` ${text}`) && !isToken(text),
  },
  {
    name: 'AFTER_MARK',
    is: 'Whole words with the mark before them, where nothing but a letter or a digit comes before that.',
    most: 700,
    fits: (text: string) => /^[!-/:-@[-`{-~][a-z]{1,12}$/.test(text) && isOne(text),
  },
];

const candidates = new Set(Array.from({ length: MOST_IDS }, (_, id) => decode([id]).replace(/^ /, '')));
const fragments = [...candidates].flatMap((text) => {
  const list = LISTS.find(({ fits }) => fits(text));
  return list === undefined ? [] : [{ text, list, rank: rankOf(text) }];
});
const frequent = new Set(
  fragments
    .sort((one, other) => one.rank - other.rank)
    .slice(0, 600)
    .map(({ text }) => text),
);

await writeFile(
  new URL('../src/core/spending/fragments.ts', import.meta.url),
  `/**
 * Pieces of text that are one token each in the tokenizers of OpenAI's models since GPT-3.5 and of Llama 3, in
 * alphabetical order. Before each: how many characters it has in common with the one before it.
 * Made by scripts/generate-fragments.ts.
 */
${LISTS.map((list) => {
  const chosen = fragments
    .filter((fragment) => fragment.list === list)
    .map(({ text, rank }) => ({ text, worth: Math.max(1, partsOf(text) - 1) / rank }))
    .sort((one, other) => other.worth - one.worth)
    .slice(0, list.most)
    .map(({ text }) => text)
    .sort();
  const lines = quotedLines(shortened(chosen)).join(' +\n');
  return `\n/** ${list.is} */\nexport const ${list.name} =\n${lines};\n`;
}).join('')}`,
);

function isToken(text: string): boolean {
  return isOne(text) && isOne(` ${text}`);
}

function isOne(text: string): boolean {
  return Object.values(KNOWN).every((encode) => encode(text).length === 1);
}

/** The mean of its ids, as they grow: by orders of magnitude. */
function rankOf(text: string): number {
  const ids = Object.values(KNOWN).map((encode) =>
    Math.log((encode(isOne(text) ? text : ` ${text}`)[0] ?? 0) + 100),
  );
  return Math.exp(ids.reduce((sum, id) => sum + id, 0) / ids.length);
}

/** How many frequent fragments it takes in the place of one. */
function partsOf(text: string): number {
  let parts = 0;
  for (let start = 0; start < text.length; parts++) {
    let end = text.length - (start === 0 ? 1 : 0);
    while (end > start + 1 && !frequent.has(text.slice(start, end))) end--;
    start = Math.max(end, start + 1);
  }
  return parts;
}

function shortened(sorted: readonly string[]): string {
  return sorted
    .map((text, index) => {
      const before = sorted[index - 1] ?? '';
      let common = 0;
      while (common < 9 && common < text.length - 1 && text[common] === before[common]) common++;
      return `${common}${text.slice(common)}`;
    })
    .join('');
}

function quotedLines(text: string): string[] {
  return (text.match(/.{1,84}/gs) ?? []).map((line) => `  ${JSON.stringify(line)}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
