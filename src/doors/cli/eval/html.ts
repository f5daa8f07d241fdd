import { nameHidden } from '../../../shown-characters.ts';

/** A text of anybody for a page: no markup, and everything in it visible. */
export function html(text: string): string {
  return nameHidden(text.replaceAll('\r\n', '\n'))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
