/**
 * Cuts text, Markdown above all, into sentences. What is no prose (headings, tables, code, badges, markup) is left
 * out, unless there is nothing else: then every line with a word in it counts. Linear in the
 * length of the text; Intl.Segmenter is not, and takes minutes for 2 MB.
 */

/** Where no sentence ends for this long, the text is no prose and is cut at a line break or a space. */
const LONGEST_SENTENCE = 600;

/** Sentences as they stand in the text, line breaks within them made spaces, in the order of the text. */
export function splitSentences(text: string): string[] {
  const sentences = DIFF.test(text)
    ? lines(text).filter((line) => CHANGE.test(line))
    : proseBlocks(text).flatMap(blockSentences).filter(isSentence);
  return (sentences.length > 0 ? sentences : lines(text)).flatMap(pieces).filter(hasWord);
}

/** The head of a hunk: of a diff, each line that was added or removed stands for itself. */
const DIFF = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m;
const CHANGE = /^[+-](?!\+\+ |-- )/;

const NOT_PROSE = /^\s*(#{1,6}\s|\||!\[|\[!\[|<[^>]*>\s*$|([-=*_]\s*){3,}$|\[[^\]]+\]:\s)/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const MARKER = /^\s*((?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?)+/;

/** Paragraphs, list items and quotations, each with its line breaks. */
function proseBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  const close = () => {
    if (block.length > 0) blocks.push(block.join('\n'));
    block = [];
  };
  for (const line of lines(text)) {
    const edge = FENCE.exec(line)?.[1];
    if (fence !== undefined || edge !== undefined) {
      if (fence === undefined) fence = edge;
      else if (edge?.startsWith(fence)) fence = undefined;
      close();
    } else if (line.trim() === '' || NOT_PROSE.test(line)) {
      close();
    } else {
      const marker = MARKER.exec(line)?.[0] ?? '';
      if (marker !== '') close();
      block.push(line.slice(marker.length).trim());
    }
  }
  close();
  return blocks;
}

function lines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/);
}

/**
 * An end of sentence: closing marks and then a space, or a full stop of a script that writes no spaces. The counts
 * are bounded, for else a megabyte of dots takes minutes.
 */
const END = /[.!?…؟।۔]{1,8}["'”’»)\]*_`]{0,4}(?=\s|$)|[。！？｡]{1,8}[」』”’）]{0,4}/gu;
const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?:\p{Lu}|[A-Za-z]\.[A-Za-z]|e\.g|i\.e|etc|cf|vs|al|no|nr|fig|sec|approx|dr|mr|mrs|ms|prof|st|inc|ltd|jr|sr|resp|z\.B|bzw|ca)\.$/iu;

function blockSentences(block: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of block.matchAll(END)) {
    const end = match.index + match[0].length;
    if (match[0] === '.' && goesOn(block, end)) continue;
    sentences.push(...pieces(block.slice(start, end)));
    start = end;
  }
  const rest = block.slice(start).trim();
  // Many lines and no end of a sentence: a log, a listing, code.
  return [...sentences, ...(rest.split('\n').length > 3 ? rest.split('\n') : [rest]).flatMap(pieces)];
}

/** After an abbreviation, or before a small letter, a full stop ends no sentence. */
function goesOn(block: string, end: number): boolean {
  return (
    /^\s+\p{Ll}/u.test(block.slice(end, end + 8)) ||
    ABBREVIATION.test(block.slice(Math.max(0, end - 10), end))
  );
}

/** The text in pieces of bearable length, each on one line. */
function pieces(text: string): string[] {
  const fitting = text.length <= LONGEST_SENTENCE ? [text] : text.split('\n').flatMap(cutAtSpaces);
  return fitting.map((piece) => piece.replace(/\s+/g, ' ').trim()).filter((piece) => piece !== '');
}

function cutAtSpaces(line: string): string[] {
  const cut: string[] = [];
  let start = 0;
  while (line.length - start > LONGEST_SENTENCE) {
    const space = line.slice(start, start + LONGEST_SENTENCE).lastIndexOf(' ');
    const end = start + (space > 0 ? space : LONGEST_SENTENCE);
    cut.push(line.slice(start, end));
    start = end;
  }
  return [...cut, line.slice(start)];
}

/** Characters that text has none of: what binary data looks like once it is read as UTF-8. */
const JUNK = /[\u0000-\u0008\u000e-\u001f\ufffd]/;

/** At least three words, or as much of a script that writes no spaces, and not what only leads up to a list. */
function isSentence(text: string): boolean {
  if (JUNK.test(text) || text.endsWith(':')) return false;
  return (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= 3 || /[\p{Lo}\p{M}]{6}/u.test(text);
}

function hasWord(line: string): boolean {
  return !JUNK.test(line) && /[\p{L}\p{N}]/u.test(line);
}
