/** A small change of one place, which some test should notice. */
export interface Mutant {
  file: string;
  line: number;
  /** The place, from the first character up to, but without, the last. */
  start: number;
  end: number;
  before: string;
  after: string;
}

/** All mutants of a source file, in the order of its text. Types, imports and the texts of comments have none. */
export function mutantsOf(file: string, text: string): Mutant[];
