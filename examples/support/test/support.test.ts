import { join } from 'node:path';
import { call, openTestCadre, type Script } from 'cadre/testing';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const TICKET = 'Ticket 17, from ada@example.com: I was charged twice in October.';
const reply = (text: string) => call('send_reply', { ticket: 17, to: 'ada@example.com', text });

/** Has the person who is asked answer one after the other. @returns what they were asked, and which calls were made */
async function handled(support: Script, answers: string[]) {
  const cadre = await openTestCadre({ folder, models: { support } });
  const { id, result } = await cadre.start('support', { prompt: TICKET });
  const asked: string[] = [];
  for await (const event of cadre.watch(id)) {
    if (event.type !== 'question_asked') continue;
    asked.push(event.question);
    await cadre.answer(event, answers[asked.length - 1] ?? 'deny');
  }
  const { content } = await result();
  const calls = (await cadre.calls(id)).map(({ tool, result: read }) => [tool, read]);
  await cadre.close();
  return { asked, calls, content };
}

test('a reply is sent once a person has approved it, and looking a customer up needs nobody', async () => {
  const { asked, calls } = await handled(
    [
      call('find_customer', { email: 'ada@example.com' }),
      reply('We returned one payment on 2026-10-05.'),
      'Answered.',
    ],
    ['approve'],
  );
  expect(asked).toEqual(['Allow send_reply?']);
  expect(calls).toEqual([
    ['find_customer', expect.stringContaining('returned 2026-10-05')],
    ['send_reply', 'sent to ada@example.com'],
  ]);
});

test('a reply that is denied is not sent, and the agent reads why', async () => {
  const { calls, content } = await handled(
    [reply('Go away.'), ({ results }) => reply(`Sorry! ${results[0]?.includes('politely')}`), 'Answered.'],
    ['deny politely, please', 'approve'],
  );
  expect(calls).toEqual([
    ['send_reply', expect.stringContaining('politely, please')],
    ['send_reply', 'sent to ada@example.com'],
  ]);
  expect(content).toBe('Answered.');
});

test('support passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({
    folder,
    models: {
      support: ({ prompt, turn }) => {
        if (turn > 1) return 'Done.';
        return prompt.includes('$500')
          ? call('escalate', { ticket: 18, reason: 'wants $500' })
          : reply('We returned one payment on 2026-10-05.');
      },
      lead: ['approve'],
    },
  });
  const { cases } = await cadre.evaluate('evals/support.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});
