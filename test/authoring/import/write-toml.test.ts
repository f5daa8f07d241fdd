import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { writeToml } from '../../../src/authoring/import/write-toml.ts';
import { anyText } from '../../fixtures/random-texts.ts';

const text = fc.oneof(
  anyText(),
  fc
    .array(
      fc.constantFrom(
        '"',
        "'",
        '"""',
        "'''",
        '\\',
        '\n',
        '\r\n',
        '\r',
        '\t',
        '\0',
        '\u007F',
        ' ',
        'a',
        '${X}',
        '𝒳',
      ),
    )
    .map((parts) => parts.join('')),
);
const key = anyText({ minLength: 1 }).filter((each) => each !== '__proto__');

describe('a written table', () => {
  it('is read back as it was, with any texts', () => {
    fc.assert(
      fc.property(
        fc.record({
          name: text,
          texts: fc.array(text),
          table: fc.dictionary(key, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text))),
          tables: fc.array(fc.record({ text, inside: fc.dictionary(key, text) }), { minLength: 1 }),
        }),
        (table) => {
          const read = JSON.stringify(parse(writeToml(table)));
          expect(JSON.parse(read)).toEqual(JSON.parse(JSON.stringify(table)));
        },
      ),
    );
  });

  it('shows a text of several lines as it is, and a long array line by line', () => {
    const table = {
      name: 'a',
      absent: undefined,
      tools: ['read_file', 'x'.repeat(100)],
      prompt: 'Say "no".\n\nC:\\temp\n',
      params: { temperature: 0.5 },
      servers: [{ name: 's', env: { A_B: 'c', 'd e': 'f' }, headers: {} }],
    };
    expect(writeToml(table)).toBe(`name = "a"
tools = [
  "read_file",
  "${'x'.repeat(100)}",
]
prompt = '''
Say "no".

C:\\temp
'''

[params]
temperature = 0.5

[[servers]]
name = "s"
env = { A_B = "c", "d e" = "f" }
headers = {}
`);
  });
});
