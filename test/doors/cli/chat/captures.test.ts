import { expect, test } from 'vitest';
import type { Run } from '../../../../src/core/records/run.ts';
import { openStage, type Stage } from '../../../fixtures/stage.ts';
import { typed } from '../../../fixtures/typed.ts';
import { chatOn } from './chat-on.ts';

/** A chat of a process of its own, and what it shows from its start on. */
async function resumedOn(stage: Stage, from?: Run) {
  const opened = chatOn(stage, from);
  await opened.chat.resume();
  return opened;
}

/** A conversation in which two lines were captured before its process ended. */
async function captured() {
  const stage = await openStage({ top: (asked) => `heard ${asked.told}` }, { top: 'tools = ["fork"]\n' });
  const { chat, session } = await resumedOn(stage);
  await chat.line('hello');
  await chat.line('/capture');
  await chat.line('look at a');
  await chat.line('then at b');
  const run = await stage.pipeline.store.run(session.current()?.id ?? '');
  if (run === undefined) throw new Error('no run');
  return { stage, run };
}

const WAITING = 'captured for a fork, as is what you type now: /fork starts it, /cancel forgets it';

test('a later chat shows what was captured, and /fork gives all of it to the fork, once', async () => {
  const { stage, run } = await captured();
  const { chat, shown, session } = await resumedOn(stage, run);
  expect(shown).toEqual([`${WAITING}\n  look at a\n  then at b`]);
  expect(chat.prompt()).toBe('top (capture)> ');
  await chat.line('and c');
  await chat.line('/fork');
  expect(shown.at(-1)).toBe('top-fork: heard look at a\nthen at b\nand c');
  expect((await resumedOn(stage, run)).shown).toEqual([]);

  const fork = session.current()?.id;
  const { out } = await typed(['show', run.id, '--messages'], stage.cwd);
  expect(out).toContain(`\n--- captured for ${fork} ---\nlook at a\n`);
  const { out: json } = await typed(['show', run.id, '--messages', '--json'], stage.cwd);
  expect(JSON.parse(json).captured).toEqual(
    ['look at a', 'then at b', 'and c'].map((text) => ({ text, at: expect.any(String), fork })),
  );
  // The agent itself is told none of it.
  expect(stage.asked.filter((asked) => asked.told.includes('look')).length).toBe(1);
});

test('nothing is captured before there is an agent to talk to', async () => {
  const stage = await openStage({ top: (asked) => `heard ${asked.told}` });
  const { chat, shown } = await resumedOn(stage);
  await chat.line('/capture');
  expect(shown).toEqual(['Error: say something first: there is no agent yet']);
  expect(chat.prompt()).toBe('top> ');
});

test('lines that are typed ahead take effect one after the other', async () => {
  const stage = await openStage({ top: (asked) => `heard ${asked.told}` }, { top: 'tools = ["fork"]\n' });
  const { chat, shown } = await resumedOn(stage);
  await chat.line('hello');
  const ahead = ['/capture', 'look at a', 'then at b', '/fork', '/switch top', 'and you?'];
  await Promise.all(ahead.map(chat.line));
  expect(shown.filter((text) => text.includes(': heard')).toSorted()).toEqual([
    'top-fork: heard look at a\nthen at b',
    'top: heard and you?',
    'top: heard hello',
  ]);
});

test('what was captured and not forked is shown by watch, until /cancel, which forks nothing', async () => {
  const { stage, run } = await captured();
  const { err } = await typed(['watch', run.id], stage.cwd);
  expect(err).toContain(' top: captured for a fork: look at a\n');
  expect(err).toContain(' top: captured for a fork: then at b\n');
  const { chat } = await resumedOn(stage, run);
  await chat.line('/cancel');
  expect((await resumedOn(stage, run)).shown).toEqual([]);
  expect((await typed(['watch', run.id], stage.cwd)).err).toContain(
    ' top: captured and cancelled: look at a\n',
  );
  const { out } = await typed(['show', run.id, '--messages'], stage.cwd);
  expect(out).toContain('\n--- captured and cancelled ---\nlook at a\n');
});
