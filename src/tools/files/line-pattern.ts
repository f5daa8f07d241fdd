import { RE2JS, RE2JSException } from 're2js';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';

export interface LinePattern {
  /** Whether any line of the text can match; quick, and never wrong where it says no. */
  mayMatchIn(text: string): boolean;
  matches(line: string): boolean;
  /** Where the first match in a line begins. */
  startIn(line: string): number;
}

/**
 * A regular expression in RE2's syntax, whose time grows with the length of the text and no faster, for any pattern of
 * a model: a pattern that backtracks could hold the process for ever.
 * @throws {RefusedCall} that names its fault
 */
export function linePattern(pattern: string, ignoreCase: boolean): LinePattern {
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  let line: RE2JS;
  let text: RE2JS;
  try {
    line = RE2JS.compile(pattern, flags);
    text = RE2JS.compile(pattern, flags | RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace('error parsing regexp: ', '');
    throw new RefusedCall(`pattern "${pattern}" is not a regular expression of RE2: ${reason}`);
  }
  // These mean the ends of a line here, and of the whole text there.
  const hasTextAnchor = /\\[AzZ]/.test(pattern);
  return {
    mayMatchIn: (whole) => hasTextAnchor || text.test(whole),
    matches: (one) => line.test(one),
    startIn(one) {
      const matcher = line.matcher(one);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}
