import { expect, test } from 'vitest';
import { indentedJson, kindOf } from '../../../src/doors/console/shared/text-kind.ts';

test('a result is told apart by how it reads best', () => {
  const texts = {
    json: ['{"a":1}', ' [1]\n', '{"__proto__":{"a":1}}'],
    diff: ['diff --git a/x b/x\n', '--- a\n+++ b\n@@ -1 +1 @@', '@@ -1,2 +1,2 @@\n-a'],
    plain: ['', '{', '"text"', '12', '[exit code 0]', '# Title', '--- a\n'],
  };
  for (const [kind, all] of Object.entries(texts)) {
    expect(all.map((text) => [text, kindOf(text)])).toEqual(all.map((text) => [text, kind]));
  }
});

test('JSON is put into lines, and nothing else of it is changed', () => {
  expect(indentedJson('{"a":12345678901234567890,"a":[ ],"b":[1.0, {"c d":"x\\"{,} "}],"e":{}}')).toBe(
    [
      '{',
      '  "a": 12345678901234567890,',
      '  "a": [],',
      '  "b": [',
      '    1.0,',
      '    {',
      '      "c d": "x\\"{,} "',
      '    }',
      '  ],',
      '  "e": {}',
      '}',
    ].join('\n'),
  );
});
