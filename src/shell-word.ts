import { replaceHidden } from './shown-characters.ts';

/**
 * A text as one word of a shell's command line (bash, zsh), to be read and to be pasted: hidden characters are spelt out,
 * so that the word reads as what it is.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  const spelt = replaceHidden(text, escaped).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  if (spelt === text) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const quoted = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `$'${replaceHidden(quoted, escaped).replaceAll('\n', '\\n').replaceAll('\t', '\\t')}'`;
}

/** @param character possibly one half of a surrogate pair */
function escaped(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
}
