import { isUtf8 } from 'node:buffer';
import { type TomlDocument, TomlSyntaxError, parseToml } from './toml-document.ts';

/**
 * Parses the bytes of a TOML file. A byte order mark is taken as what some editors write first; anything else that is
 * not UTF-8 is refused where it stands.
 * @throws {TomlSyntaxError}
 */
export function decodeToml(bytes: Uint8Array): TomlDocument {
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  return parseToml(new TextDecoder().decode(bytes));
}

function notUtf8(bytes: Uint8Array): TomlSyntaxError {
  let line = 1;
  let start = 0;
  while (true) {
    const end = bytes.indexOf(0x0a, start);
    const content = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (!isUtf8(content)) {
      const column = new TextDecoder().decode(content).indexOf('\uFFFD') + 1;
      return new TomlSyntaxError('the file is not UTF-8 text', { line, column }, '');
    }
    line += 1;
    start = end + 1;
  }
}
