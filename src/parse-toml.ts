import { isUtf8 } from 'node:buffer';
import { parse, TomlError } from 'smol-toml';

/** A place in a file, both numbers from 1, as editors count. */
export interface TextPosition {
  line: number;
  column: number;
}

/** The steps from the top of the document to a value: keys of tables, indexes of arrays. */
export type TomlPath = readonly (string | number)[];

/** A table without a prototype, so no key of a file can reach one. */
export type TomlTable = Record<string, unknown>;

export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The text is not TOML. `message` is the reason alone; `near` is what is written there, which may be a secret. */
export class TomlSyntaxError extends Error {
  override readonly name = 'TomlSyntaxError';

  constructor(
    reason: string,
    readonly position: TextPosition,
    readonly near: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/**
 * Parses TOML 1.1.
 * @throws {TomlSyntaxError}
 */
export function parseToml(source: string): TomlTable {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    const near = shorten((source.split(/\r?\n/)[line - 1] ?? '').slice(column - 1));
    throw new TomlSyntaxError(toReason(error, near), { line, column }, near, { cause: error });
  }
}

/**
 * The text of a TOML file. A byte order mark is taken as what some editors write first; anything else that is not
 * UTF-8 is refused where it is.
 * @throws {TomlSyntaxError}
 */
export function decodeToml(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  return new TextDecoder().decode(bytes);
}

/** The value as it is written, cut to one short line. */
export function shorten(source: string): string {
  const line = source.split(/[\r\n]/, 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

/** The parser's own words, their first sentence, without the lines of the file that it shows below them. */
function toReason({ message }: TomlError, near: string): string {
  const [reason = ''] = message.replace('Invalid TOML document: ', '').split(/\. |\n/, 1);
  if (reason === 'invalid value' && near === '') return 'expected a value after "="';
  const hint = SLIPS.find(([of, slip]) => of === reason && slip.test(near))?.[2];
  return hint === undefined ? reason : `${reason} (${hint})`;
}

/** What people write who think of another format, and what TOML has instead. */
const SLIPS: readonly [reason: string, near: RegExp, hint: string][] = [
  ['illegal character in key', /^\{/, 'this looks like JSON; in TOML, each line is: key = value'],
  ['illegal character in key', /^:/, 'this looks like YAML; in TOML, each line is: key = value'],
  [
    'illegal character in numeric literal',
    /^[a-z]/,
    'a number has no unit; a text with one stands in quotes: "5m"',
  ],
  [
    'control characters are not allowed in strings',
    /^$/,
    'a text ends on its line; one of several stands in three quotes',
  ],
  ['invalid value', /^[“”„«‘’']/, 'quotes have to be straight: "…"'],
  ['invalid value', /^[A-Za-z/.~$]/, 'texts stand in quotes: "…"'],
];

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
