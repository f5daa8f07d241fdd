import { styleText } from 'node:util';

/** A text in a style of terminals, such as `bold`, wherever it is written: the caller knows whether colours are wanted. */
export function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}
