import { expect, test } from 'vitest';
import type { RunInput } from '../../../src/doors/api/ag-ui/run-input.ts';
import { saidIn } from '../../../src/doors/api/ag-ui/said.ts';

type Message = RunInput['messages'][number];

const user = (text: string): Message => ({ role: 'user', content: text });
const asUser = (text: string, index: number, isPrompt = true) => ({
  role: 'user',
  text,
  index,
  isPrompt,
  files: [],
});
const agent = (text: string, subagentRunId = ''): Message => ({
  role: 'assistant',
  id: `of ${text}`,
  content: text,
  subagentRunId,
});

test.each<[string, Message[], unknown[]]>([
  ['nothing', [], []],
  ['nothing before its user has said anything', [agent('hello')], []],
  [
    'what users and the agent say, and what the program says as words that are no prompt',
    [agent('hello'), user(' go '), agent('so'), { role: 'developer', content: 'be brief' }, user('on')],
    [
      asUser('go', 1),
      { role: 'assistant', text: 'so', index: 2, id: 'of so', isPrompt: false, files: [] },
      asUser('be brief', 3, false),
      asUser('on', 4),
    ],
  ],
  ['nothing of agents below', [user('go'), agent('look', 'kid-1')], [asUser('go', 0)]],
  ['nothing that is empty', [user('go'), user('  '), agent(' ')], [asUser('go', 0)]],
  [
    'all texts of a message',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ],
    [asUser('one\ntwo', 0)],
  ],
])('of a conversation as its client has it, the record has %s', (_, messages, said) => {
  expect(saidIn(messages)).toEqual(said);
});
