/**
 * The texts of an answer, as one. They follow on each other, as the parts of a sentence do that cite different pages; but
 * for a search between two of them, which ends a paragraph.
 */
export function createParagraphs() {
  let hasText = false;
  let isApart = false;
  return {
    /** @returns the next piece, with what comes between it and the one before */
    next(type: string, text: string): string {
      if (type !== 'text') isApart ||= hasText && SEARCHES.has(type);
      if (text === '') return '';
      const piece = isApart ? `\n\n${text}` : text;
      hasText = true;
      isApart = false;
      return piece;
    },
  };
}

/** As blocks come, and as they are read. */
const SEARCHES = new Set(['raw', 'server_tool_use', 'web_search_tool_result']);
