import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toAttachment } from '../../../../src/core/attachments/to-attachment.ts';
import { startRun } from '../../../../src/core/lifecycle/start.ts';
import { newRunId } from '../../../../src/core/records/run-id.ts';
import { png } from '../../../fixtures/images.ts';
import { latch, openStage, openStageIn, silence, use, type Role } from '../../../fixtures/stage.ts';
import { chatOn } from './chat-on.ts';

/** A chat with the agent `top`, and what it shows. */
async function openChat(top: Role, hooks: Parameters<typeof openStage>[3] = {}, isCarried = true) {
  const stage = await openStage({ top }, { top: 'tools = ["fork"]\n' }, {}, hooks);
  return chatOn(stage, undefined, isCarried);
}

test('Ctrl-C before a conversation has a record ends it, and the next one begins', async () => {
  const isRead = latch();
  const goesOn = latch();
  const beforeReading = async () => {
    isRead.open();
    await goesOn.opened;
  };
  const { session, shown, asked } = await openChat((one) => `heard ${one.told}`, { beforeReading });
  const said = session.say('hello');
  await isRead.opened;
  await session.stop('interrupted by the user');
  goesOn.open();
  await said;
  expect(shown).toEqual([expect.stringContaining('interrupted by the user')]);
  expect(asked).toEqual([]);
  await session.say('again');
  expect(shown.at(-1)).toContain('top: heard');
});

test('an answer is shown even if a message comes with it that is answered, too', async () => {
  const isAsked = latch();
  const isSent = latch();
  const { session, shown } = await openChat(async (one) => {
    if (one.turn > 1) return `heard ${one.told}`;
    isAsked.open();
    await isSent.opened;
    return 'one';
  });
  const said = session.say('hello');
  await isAsked.opened;
  await session.say('and this');
  isSent.open();
  await said;
  expect(shown).toEqual(['top: one', 'top: heard and this']);
});

test('Ctrl-C stops a fork that is talked to, though its tree has ended', async () => {
  const isAsked = latch();
  const { session, chat, shown, store } = await openChat((one) => {
    if (one.told !== 'work') return 'ready';
    isAsked.open();
    return silence(one);
  });
  await chat.line('hello');
  await chat.line('/fork');
  const said = chat.line('work');
  await isAsked.opened;
  await session.stop('interrupted by the user');
  await said;
  expect(shown.at(-1)).toContain('interrupted by the user');
  const tree = await session.tree();
  expect(tree.map(({ status }) => status)).toEqual(['succeeded', 'stopped']);
  expect(await store.turns(tree[1]?.id ?? '')).toEqual([]);
});

test('a killed agent is not forked: nothing would reach its fork', async () => {
  const { session, chat, shown } = await openChat(({ turn }) => `answer ${turn}`);
  await chat.line('hello');
  await chat.line('/fork');
  await chat.line('and you?');
  const [top, fork] = await session.tree();
  await chat.line('/kill');
  await chat.line(`/switch ${fork?.id}`);
  await chat.line('/fork');
  expect(shown.at(-1)).toBe(`Error: nothing would reach a copy of "top": run "${fork?.id}" was killed`);
  expect((await session.tree()).map(({ id }) => id)).toEqual([top?.id, fork?.id]);
});

test('captured text is no longer than a fork reads, and a cut is told', async () => {
  const { chat, shown } = await openChat((one) => (one.turn === 1 ? 'ready' : `${one.told.length}`));
  await chat.line('hello');
  await chat.line('/capture');
  await chat.line('a'.repeat(99_998));
  await chat.line('bb');
  expect(shown.at(-1)).toBe(
    'Error: this line is not kept: it would make what is captured 100001 characters long, and a fork reads at most 100000',
  );
  await chat.line('b');
  await chat.line('/fork');
  expect(shown.at(-1)).toBe('top-fork: 100000');
});

test('/agents shows the use of agents of an interrupted tree, and that no process carries them', async () => {
  const { chat, shown, session, store } = await openChat(() => 'ready', {}, false);
  await chat.line('hello');
  const { id = '' } = session.current() ?? {};
  // As a process leaves it that dies after the answer, before the run is closed.
  await store.updateRun(id, ({ endedAt: _endedAt, ...run }) => ({
    ...run,
    status: 'running' as const,
    usage: { ...run.usage, turns: 0, inputTokens: 0, outputTokens: 0 },
  }));
  await chat.line('/agents');
  expect(shown.at(-1)).toMatch(/^\?  top  interrupted  1 turn  /);
});

test('/kill in a tree whose process died comes back at once, and the answer is shown once it is there', async () => {
  const isAtWork = latch();
  const { cwd, pipeline } = await openStage(
    {
      top(asked) {
        if (asked.told.startsWith('[You are agent')) isAtWork.open();
        else if (asked.turn === 1) return [use('fork', { prompt: 'go', name: 'a' })];
        return new Promise(() => {});
      },
    },
    { top: 'tools = ["fork"]\n' },
  );
  const root = newRunId('top', Date.now());
  // It has no holder: its process has died.
  await startRun(root, { agent: 'top', prompt: 'go' }, pipeline);
  await isAtWork.opened;
  await expect.poll(async () => (await pipeline.store.newestTurn(root))?.number).toBe(1);

  const goesOn = latch();
  const stage = await openStageIn(cwd, { top: ({ turn }) => goesOn.opened.then(() => `turn ${turn}`) });
  const a = (await pipeline.store.tree(root)).find(({ name }) => name === 'a');
  const { session, chat, shown } = chatOn(stage, a);
  await chat.line('/kill');
  expect(shown).toEqual([`killed ${a?.id}`, 'you talk to top now', 'the others of its tree go on']);
  // A line typed meanwhile is answered before the next line is read.
  const said = chat.line('and this');
  await expect.poll(async () => (await pipeline.store.mails(root)).at(-1)?.body).toBe('and this');
  goesOn.open();
  await said;
  expect(shown.slice(3)).toEqual(['top: turn 2', 'top: turn 3']);
  await session.rested();
  expect((await session.tree()).map(({ status }) => status)).toEqual(['succeeded', 'stopped']);
});

test('commands that lack words or are mistyped say what to type', async () => {
  const { chat, shown } = await openChat(() => 'ready');
  for (const line of ['/agnts', '/usr/bin is empty', '/switch', '/mail-read ']) await chat.line(line);
  expect(shown).toEqual([
    'Error: there is no /agnts; did you mean /agents? (a line for the agent begins with a blank)',
    'Error: there is no /usr/bin; see: /help (a line for the agent begins with a blank)',
    'Error: type: /switch <agent>',
    'Error: type: /mail-read <id>',
  ]);
  await chat.line('/help');
  await expect(shown.at(-1)).toMatchFileSnapshot(join(import.meta.dirname, 'accepted', 'help.txt'));
});

test('a file that is attached goes with what is said next', async () => {
  const { chat, shown, asked, cwd } = await openChat(({ turn }) => `answer ${turn}`);
  const chart = png(40, 30);
  await writeFile(join(cwd, 'my chart.png'), chart);
  await writeFile(join(cwd, 'notes.md'), 'No.');
  await chat.line('/attach my chart.png');
  await chat.line('hello');
  await chat.line('/attach my chart.png');
  await chat.line('/attach gone.png');
  await chat.line('/attach notes.md');
  await chat.line('and this?');
  const { attachment } = toAttachment(chart);
  expect(asked.at(-1)?.request.messages).toEqual([
    { role: 'user', text: 'hello', attachments: [attachment] },
    { role: 'assistant', text: 'answer 1', calls: [] },
    { role: 'user', text: 'and this?\n\n### notes.md\n```md\nNo.\n```', attachments: [attachment] },
  ]);
  expect(shown).toEqual([
    'attached to what you say next: my chart.png',
    'top: answer 1',
    'attached to what you say next: my chart.png',
    'Error: cannot read gone.png, which is to be attached: there is no such file or folder',
    'attached to what you say next: notes.md',
    'top: answer 2',
  ]);
});
