import { expect, test } from 'vitest';
import { typedAnswer } from '../../../src/doors/cli/commands/typed-answer.ts';
import { ConfigError } from '../../../src/errors.ts';

const approval = { approval: { tool: 'write_file', arguments: {} }, choices: ['approve', 'deny', 'always'] };

test.each([
  ['a choice', approval, 'always', { text: 'always' }],
  ['the number of a choice', approval, ' 1 ', { text: 'approve' }],
  ['a reason', approval, 'deny not now', { text: 'deny not now' }],
  ['other arguments', approval, 'approve {"path": "b"}', { text: 'approve', arguments: { path: 'b' } }],
  ['an answer that is no decision', {}, 'approve {"path": "b"}', { text: 'approve {"path": "b"}' }],
])('what a person types is %s', (_, question, typed, answer) => {
  expect(typedAnswer(question, typed)).toEqual(answer);
});

test('a number that no decision has is refused, and no other text is offered, which would be no decision either', () => {
  expect(() => typedAnswer(approval, '7')).toThrow(
    new ConfigError('there is no choice 7: 1. approve, 2. deny, 3. always'),
  );
});

test.each(['approve it', 'approve [1]', 'approve {"path"'])('%s is refused', (typed) => {
  expect(() => typedAnswer(approval, typed)).toThrow(
    new ConfigError(
      `what follows "approve" must be a JSON object, such as '{"path":"notes.md"}', not ${typed.slice(8)}`,
    ),
  );
});
