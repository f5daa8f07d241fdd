import { expect, test } from 'vitest';
import { chatLineByLine } from '../../../../src/doors/cli/chat/line-by-line.ts';
import { createSession } from '../../../../src/doors/cli/chat/session.ts';
import { NOTHING_GIVEN } from '../../../../src/places/given-input.ts';
import { createChat } from '../../../../src/doors/cli/chat/chat.ts';
import { answer, openQuestions } from '../../../fixtures/questions.ts';
import { recordedIo } from '../../../fixtures/recorded-io.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { typed } from '../../../fixtures/typed.ts';
import { openStage, use, type Role } from '../../../fixtures/stage.ts';

const asks: Role = ({ turn, results }) =>
  turn === 1 ? [use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] })] : results.join('|');

test('a chat without a terminal says on stderr what is asked, and how to answer it', async () => {
  const { environment, pipeline, cwd } = await openStage({ top: asks }, { top: 'tools = ["ask_user"]\n' });
  const io = recordedIo(cwd, { stdin: 'hello\n' });
  const ended = chatLineByLine(
    async (screen) => {
      const toRequest = (prompt: string) => ({ agent: 'top', prompt });
      const session = createSession(undefined, { environment, toRequest, screen, now: Date.now });
      return {
        session,
        chat: createChat({
          agent: 'top',
          session,
          environment,
          screen,
          now: Date.now,
          read: async () => NOTHING_GIVEN,
        }),
      };
    },
    { env: undefined, io },
  );
  const [open] = await openQuestions(pipeline.store, 1);
  if (open === undefined) throw new Error('nothing is asked');
  const { run } = open.question;
  await answer(cwd, open, 'blue');
  await pipeline.wakeAsker(open.question);
  expect(await ended).toMatchObject({ id: run });
  expect(io.out).toBe('blue\n');
  expect(io.err).toBe(`top asks: Which one?
  1. red
  2. blue
  cadre answer ${run} t1c1 "…"
`);
});

test.each<[string, string, number, string]>([
  ['has no key', 'model = "anthropic/claude-sonnet-4-5"', 3, 'ANTHROPIC_API_KEY'],
  ['cannot be played', 'model = "scripted/none.json"', 2, 'at least one turn'],
  ['may spend nothing more', 'model = "scripted/long.json"\n[budget]\nmax_tokens = 1', 4, 'budget exceeded'],
  ['answers', 'model = "scripted/long.json"', 0, ''],
])(
  'a chat without a terminal ends as its last message does: an agent that %s',
  async (_, file, code, err) => {
    const turns = [{ text: 'one' }, { text: 'two' }];
    const cwd = await tempFolder({
      'agents/a.toml': `name = "a"\n${file}\n`,
      'none.json': JSON.stringify({ conversations: [{ turns: [] }] }),
      'long.json': JSON.stringify({ conversations: [{ turns }] }),
    });
    const ended = await typed(['chat', 'a'], cwd, { stdin: 'hello\nand now?\n' });
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(err)]);
  },
);
