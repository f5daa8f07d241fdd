import { LINK, withoutMarks } from './prose.ts';

/** A sentence of a paragraph, with what a reader has to know to see whether it can stand alone. */
export interface Sentence {
  /** On one line, without marks of Markdown. */
  text: string;
  /** It begins and ends as a sentence does, and leaves nothing open. */
  isWhole: boolean;
  /** It cannot be understood without the one before it. */
  leansBack: boolean;
  /** It says little, and prepares for the one after it. */
  leansForward: boolean;
  /** It only says where something is. */
  pointsElsewhere: boolean;
}

/** Where no sentence ends for this long, the text is no prose and is cut at a line break or a space. */
const LONGEST_SENTENCE = 600;

/** The sentences of a paragraph, in order. Linear in its length; Intl.Segmenter is not, and takes minutes for 2 MB. */
export function sentencesOf(block: string): Sentence[] {
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
  const last = rest.split('\n').length > 3 ? rest.split('\n') : [rest];
  return [...sentences, ...last.flatMap(pieces)].filter(isSentence).map(judged);
}

/** The text in pieces of bearable length, each on one line. */
export function pieces(text: string): string[] {
  const fitting = text.length <= LONGEST_SENTENCE ? [text] : text.split('\n').flatMap(cutAtSpaces);
  return fitting.map((piece) => piece.replace(/\s+/g, ' ').trim()).filter((piece) => piece !== '');
}

export function hasWord(line: string): boolean {
  return !JUNK.test(line) && /[\p{L}\p{N}]/u.test(line);
}

/**
 * An end of sentence: closing marks and then a space, or a full stop of a script that writes no spaces. The counts
 * are bounded, for else a megabyte of dots takes minutes.
 */
const END = /[.!?…؟।۔]{1,8}["'”’»)\]*_`]{0,4}(?=\s|$)|[。！？｡]{1,8}[」』”’）]{0,4}/gu;
const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?:\p{Lu}|[A-Za-z]\.[A-Za-z]|e\.g|i\.e|etc|cf|vs|al|no|nr|fig|sec|approx|dr|mr|mrs|ms|prof|st|inc|ltd|jr|sr|resp|z\.B|bzw|ca)\.$/iu;

/** After an abbreviation, or before a small letter, a full stop ends no sentence. */
function goesOn(block: string, end: number): boolean {
  return (
    /^\s+\p{Ll}/u.test(block.slice(end, end + 8)) ||
    ABBREVIATION.test(block.slice(Math.max(0, end - 10), end))
  );
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

/** At least three words, or as much of a script that writes no spaces, and not a line that only leads up to a list. */
function isSentence(text: string): boolean {
  if (JUNK.test(text) || text.endsWith(':')) return false;
  return words(text) >= 3 || /[\p{Lo}\p{M}]{6}/u.test(text);
}

function judged(marked: string): Sentence {
  const text = withoutMarks(marked);
  const spoken = text.replace(/`[^`]*`/g, '`');
  return {
    text,
    isWhole:
      BEGINNING.test(text) && ENDING.test(text) && isClosed(text) && !isCode(text) && !VERBLESS.test(text),
    leansBack: [LEANS_BACK, EARLY_PRONOUN, POINTS_WITHIN].some((sign) => sign.test(spoken)),
    leansForward: words(text) <= 4 && /\p{Script=Latin}/u.test(text),
    pointsElsewhere: pointsElsewhere(marked, text),
  };
}

const BEGINNING = /^["'“‘«»(*_[\]¿¡]*[`\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;
const ENDING = /[.!?…؟।۔。！？｡]["'”’»)\]*_`」』）]*$/u;

/** Nothing that was opened stays open. */
function isClosed(text: string): boolean {
  const count = (mark: RegExp) => text.match(mark)?.length ?? 0;
  return count(/`/g) % 2 === 0 && count(/[([]/g) === count(/[)\]]/g);
}

/** A command, or names of things, with few words around them. */
function isCode(text: string): boolean {
  return text.replace(/`[^`]*`/g, '').length < LEAST_SPOKEN * text.length;
}

const LEAST_SPOKEN = 0.7;

/** `Through public doors, whole values compared.` */
const VERBLESS =
  /^(?:through|with|without|by|for|from|in|on|at|under|per)\b(?!.*\b(?:is|are|was|were|has|have|had|can|may|must|will|does|do|did|should|could|would|be|it|you|we|they)\b)/i;

/** English alone: in other languages each sentence has to stand alone. */
const LEANS_BACK = new RegExp(
  String.raw`^["'“(]*(?:(?:it|its|they|their|them|he|she|his|her|then|thus|so|but|and|or|nor|yet|both|neither|such|` +
    String.raw`here|otherwise|however|also|therefore|hence|instead|besides|likewise|similarly|still|that|these|those|` +
    String.raw`in (?:this|that) case|for (?:example|instance)|the (?:same|latter|former|others|rest))\b` +
    String.raw`|there\b(?! (?:is|are|was|were)\b)` +
    String.raw`|this\b(?! (?:project|package|library|repository|tool|document|guide|program|report|release)\b)` +
    String.raw`|the (?:first|second|third|last|other|next) \p{Ll}+s (?:an?|the|what|how|that|it)\b)`,
  'iu',
);
/** `To clear it, delete …` */
const EARLY_PRONOUN = /^\S+ (?:\S+ )?(?:it|them|they|this|these|those)\b/i;

/** To the text around the sentence. */
const POINTS_WITHIN = /\b(?:these|above|below|the following|as follows)\b/i;

/**
 * A verb, a subject that has one, an order, or an amount of something: English that says something about its subject,
 * and does not only name it.
 */
const SAYS = new RegExp(
  String.raw`\b(?:is|are|was|were|has|have|had|can|cannot|may|must|will|does|do|did|should|could|would)\b` +
    String.raw`|\b(?:it|we|you|they|I|he|she|nothing|nobody|everything)\b` +
    String.raw`|\b(?:an?|the|each|every|this|that|which|who|what) (?:[\w-]+ ){1,3}\p{Ll}+s\b` +
    String.raw`|^\p{Lu}\p{Ll}+ (?:an?|the|your|all|each|no)\b` +
    String.raw`|\p{Ll} \$?\d[\d.,]* \p{Ll}`,
  'iu',
);

/** A line of a list or a title names something; a sentence says something about it. */
export function saysSomething(text: string): boolean {
  return SAYS.test(text);
}

const PATH = /^`?[\w.~/-]*(?:\/|\.\p{Ll}{2,4})[\w./-]*`?$/u;
const SEE = /\bsee:? (?:also|below|above|section|chapter|page|\[|`|https?:|[\w./-]*(?:\/|\.\p{Ll}{2,4}\b))/iu;
/** `…: see the tutorial.` */
const SEE_LAST = /[:;,(]\s+(?:\S{1,4} )?see (?:\S+ ){0,3}\S+$/i;
const DOCUMENT =
  String.raw`(?:[\w./-]*\w\.(?:md|txt|html|pdf|rst)\b|(?:appendix|chapter|doc(?:s|ument|umentation)|faq|` +
  String.raw`guide|handbook|manual|page|readme|reference|section|site|spec(?:ification)?|tutorial|website|wiki)s?\b)`;
const KNOWLEDGE = '(?:details?|description|documentation|examples?|information|instructions|list)';
/** And then the end. */
const FEW_WORDS = String.raw`(?:\W+\w+){0,6}\W*$`;
/** Sentences that tell nothing but where something is told. */
const TOLD_ELSEWHERE = [
  // `Refer to the manual.`
  String.raw`^(?:please )?(?:see|refer to) (?:\S+ ){0,4}${DOCUMENT}${FEW_WORDS}`,
  // `Consult the office for more details.`, `For further information, read …`
  String.raw`^(?:please )?(?:see|refer to|ask|check|consult|contact|read|visit) .*\bfor (?:\w+ )?${KNOWLEDGE}\W*$`,
  String.raw`^for (?:more|further|additional|full|the) ${KNOWLEDGE}\b`,
  // `The full list is in docs/deploy.md.`
  String.raw`^(?:\S+ ){0,3}${KNOWLEDGE} (?:\S+ ){0,3}(?:is|are|can be) (?:\w+ )?(?:in|on|at) ` +
    String.raw`(?:\S+ ){0,3}${DOCUMENT}${FEW_WORDS}`,
  // `Forks and mail are on pages of their own.`
  String.raw`\bon (?:a )?pages? of (?:its|their) own\b`,
].map((pattern) => new RegExp(pattern, 'iu'));
const ADDRESS = /https?:\/\/\S+/g;

function pointsElsewhere(marked: string, text: string): boolean {
  if (SEE.test(marked) || SEE_LAST.test(text)) return true;
  if (TOLD_ELSEWHERE.some((sign) => sign.test(text))) return true;
  const links = [...marked.matchAll(LINK)].map(([, name = '']) => name);
  if (links.some((name) => PATH.test(name))) return true;
  const isAddressed = links.length > 0 || ADDRESS.test(text);
  return isAddressed && words(marked.replace(LINK, '').replace(ADDRESS, '')) <= 5;
}

function words(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
