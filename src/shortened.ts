/** A text of at most so many characters, and a sign behind it if it goes on. No half of a character is left at its end. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
