import { expect, test } from 'vitest';
import { openStage } from '../../../fixtures/stage.ts';
import { chatOn } from './chat-on.ts';

test('an inbox is listed, read, filtered and cleared, newest first and without what people wrote', async () => {
  const { chat, shown, session, store } = chatOn(await openStage({ top: () => 'ready' }));
  await chat.line('hello');
  await chat.line('/mail-check');
  expect(shown.splice(0)).toEqual(['top: ready', 'no messages']);

  const to = session.current()?.id ?? expect.fail();
  const sent = { sentAt: '2026-11-23T03:04:05.678Z' };
  const own = await store.saveMail(to, { ...sent, body: 'of a person' });
  const kid = await store.saveMail(to, { ...sent, from: 'kid-1', fromName: 'kid', body: 'found\nit' });
  const elf = await store.saveMail(to, { ...sent, from: 'elf-1', fromName: 'elf', body: 'é'.repeat(60) });
  for (const line of ['check', `read ${kid.id}`, 'check', 'filter kid', 'filter elf-1', 'filter nobody'])
    await chat.line(`/mail-${line}`);
  const elfs = `● ${elf.id}  elf: ${'é'.repeat(50)}`;
  expect(shown.splice(0)).toEqual([
    `${elfs}\n● ${kid.id}  kid: found it`,
    'from kid, 2026-11-23 03:04:05Z\nfound\nit',
    `${elfs}\n  ${kid.id}  kid: found it`,
    `  ${kid.id}  kid: found it`,
    elfs,
    'no messages',
  ]);

  await chat.line(`/mail-read ${own.id}`);
  await chat.line(`/mail-delete ${elf.id}`);
  await chat.line(`/mail-read ${elf.id}`);
  await chat.line('/mail-delete gone');
  await chat.line('/mail-check');
  expect(shown).toEqual([
    'from a person, 2026-11-23 03:04:05Z\nof a person',
    `deleted ${elf.id}`,
    `Error: Message not found: ${elf.id}`,
    'Error: Message not found: gone',
    `  ${kid.id}  kid: found it`,
  ]);
});

test('a message goes to the agent that is named, which answers it', async () => {
  const stage = await openStage({ top: ({ told }) => `heard ${told}` }, { top: 'tools = ["fork"]\n' });
  const { chat, shown, session } = chatOn(stage);
  await chat.line('hello');
  await chat.line('/fork');
  await chat.line('/mail-send top two words\nand lines');
  await session.rested();
  expect(stage.asked.at(-1)).toMatchObject({ agent: 'top', told: 'two words\nand lines' });
  for (const words of ['top', 'top  ', 'nobody hi']) await chat.line(`/mail-send ${words}`);
  expect(shown.slice(-3)).toEqual([
    'Error: Message body cannot be empty',
    'Error: Message body cannot be empty',
    'Error: Agent not found: nobody',
  ]);
});
