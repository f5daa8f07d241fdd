import { EventSchema } from '@ag-ui/core/schemas';
import { expect, test } from 'vitest';
import { beginAnswer } from '../../../../src/core/turn/begun-answer.ts';
import { conversationOf } from '../../../../src/core/reports/conversation-report.ts';
import { pieceEvent, type RunEvent } from '../../../../src/core/events/event.ts';
import { toAgUi } from '../../../../src/doors/api/ag-ui/to-ag-ui.ts';
import { createVerbose } from '../../../../src/doors/cli/terminal/verbose.ts';
import { loadOwnTools } from '../../../../src/tools/load-own-tools.ts';
import { openRun } from '../../../core/events/harness.ts';
import { aRun } from '../../../fixtures/records.ts';
import { latch, openStage } from '../../../fixtures/stage.ts';

const top = aRun();
const thought = (text: string, run = top) => pieceEvent(run, { turn: 1, kind: 'thinking', text });

/** The lines that --verbose prints for these events. */
function told(events: RunEvent[]): string[] {
  const verbose = createVerbose(top.id);
  return events.flatMap((event) => verbose(event)?.split('\n') ?? []);
}

test('--verbose tells thoughts line by line as they come, and the rest of them before the next event', () => {
  const kid = aRun({ id: 'kid-1', path: 't1c1' });
  const word = pieceEvent(top, { turn: 1, kind: 'text', text: 'So' });
  expect(
    told([thought('First, '), thought('the\u001b list.\n\nThen'), thought('hidden', kid), word, word]),
  ).toEqual(['[thinking] First, the� list.', '[thinking] Then']);
});

test('--verbose breaks a long thought between words, however it is cut into pieces', () => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');
  const pieces = (words.match(/.{1,7}/gs) ?? []).map((piece) => thought(piece));
  const lines = told([...pieces, pieceEvent(top, { turn: 1, kind: 'text', text: 'So' })]);
  expect(lines.map((line) => line.replace('[thinking] ', '')).join(' ')).toBe(words);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual('[thinking] '.length + 120);
  expect(lines.length).toBeGreaterThan(4);
});

test('thoughts are pieces of a reasoning message for clients of AG-UI', () => {
  const [event, ...others] = toAgUi(top.id, { at: 1, event: thought('Hm.') });
  expect(others).toEqual([]);
  expect(EventSchema.parse(event)).toEqual(event);
  expect(event).toMatchObject({ type: 'REASONING_MESSAGE_CHUNK', delta: 'Hm.' });
});

test('the page gets the newest thoughts of a model that has not written a word yet', async () => {
  const [asked, goesOn] = [latch(), latch()];
  const stage = await openStage({
    async top() {
      asked.open();
      await goesOn.opened;
      return 'done';
    },
  });
  const { top: run, store, run: begin } = await openRun(stage);
  const ended = begin();
  await asked.opened;
  const record = await store.run(run.id);
  if (record === undefined) throw new Error('no record');
  let time = 0;
  const ports = { store, now: () => (time += 1_000) };
  const begun = { turn: 1, at: 0, messages: 1, pendingCalls: 0 };
  const answer = beginAnswer(record, begun, true, ports);
  await answer.written();
  answer.hear({ type: 'thinking', text: 'x'.repeat(5_000) });
  answer.hear({ type: 'thinking', text: 'Let me see.' });
  await answer.written();
  answer.hear({ type: 'alive' });
  await answer.written();
  const { writing } = await conversationOf(run.id, store, loadOwnTools);
  expect(writing).toEqual({ turn: 1, text: '', thinking: `${'x'.repeat(3_989)}Let me see.` });
  goesOn.open();
  await ended;
});
