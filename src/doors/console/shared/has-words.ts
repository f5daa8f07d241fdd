/** Whether all words that a person has typed occur in a text, as parts of longer ones too. */
export function hasWords(text: string, typed: string): boolean {
  const small = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => small.includes(word));
}
