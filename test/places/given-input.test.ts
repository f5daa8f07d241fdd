import { expect, test } from 'vitest';
import { toMessage } from '../../src/places/given-input.ts';

test.each([
  ['go', [], 'go'],
  [' go', ['# a\n\none', ' ', '# b\n\ntwo\n'], ' go\n\n# a\n\none\n\n# b\n\ntwo\n'],
  ['  ', ['# a\n\none'], '# a\n\none'],
  ['', [], ''],
])('a message %j with the texts %j is one text', (said, texts, text) => {
  expect(toMessage(said, { files: [], texts })).toEqual({ text, files: [] });
});
