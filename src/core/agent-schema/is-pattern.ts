const GLOB_CHARACTER = /(?<!\\)[*?[{]/;

/** Whether it can match several paths, or is the path of one file. */
export function isPattern(written: string): boolean {
  return GLOB_CHARACTER.test(written);
}
