/** How a text that came from a tool reads best. */
export type TextKind = 'json' | 'diff' | 'plain';

const DIFF = /^(?:diff --git |Index: |--- [^\n]*\n\+\+\+ |@@ -\d)/;

export function kindOf(text: string): TextKind {
  if (DIFF.test(text)) return 'diff';
  return /^\s*[[{]/.test(text) && isJson(text) ? 'json' : 'plain';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const INDENT = '  ';

/**
 * JSON in lines. Nothing of it is changed but the blanks between its parts: numbers, repeated keys and the order are
 * those of the text.
 */
export function indentedJson(json: string): string {
  let depth = 0;
  return json.replace(
    /("(?:[^"\\]|\\.)*")|\s+|([[{])(\s*[\]}])?|([\]}])|([,:])/g,
    (_, string?: string, open?: string, close?: string, end?: string, mark?: string) => {
      if (string !== undefined) return string;
      if (open !== undefined && close !== undefined) return open + close.trim();
      if (open !== undefined) return `${open}\n${INDENT.repeat(++depth)}`;
      if (end !== undefined) return `\n${INDENT.repeat(--depth)}${end}`;
      if (mark === undefined) return '';
      return mark === ':' ? ': ' : `,\n${INDENT.repeat(depth)}`;
    },
  );
}
