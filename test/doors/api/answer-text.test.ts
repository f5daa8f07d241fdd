import { expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { createAnswerText } from '../../../src/doors/api/openai/answer-text.ts';
import { call, latch, openStage, use, type Role } from '../../fixtures/stage.ts';

const beside = use('call_agent', { agent: 'kid', task: 'look', background: true });

/** The text that a client of the door is sent, whose agent answers before its sub-agent in the background does. */
async function textOf(top: Role): Promise<string> {
  const hasAnswered = latch();
  const stage = await openStage(
    {
      top,
      kid: ({ message }) => (message.includes('look') ? hasAnswered.opened.then(() => 'found') : 'found'),
    },
    { top: 'sub_agents = ["kid"]\n[sub_agents_config]\nbackground = true\n' },
  );
  const id = newRunId('top', Date.now());
  const from = await stage.environment.told(id);
  const { signal } = new AbortController();
  let text = '';
  const tell = createAnswerText(id, (piece) => (text += piece));
  await stage.environment.start({ id, request: { agent: 'top', prompt: 'go' } });
  for await (const { event } of stage.environment.follow(id, { from, live: true, signal })) {
    tell(event);
    if (event.type === 'turn_finished' && event.agent === 'top' && event.turn === 2) hasAnswered.open();
    if (event.type === 'run_closed' && event.run === id) break;
  }
  return text;
}

test('an answer while agents are at work in the background is left out', async () => {
  const text = await textOf(({ turn, told }) => {
    if (turn === 1) return { text: 'I have it looked up.', calls: [beside] };
    return told === '' ? 'It is under way.' : 'It was found.';
  });
  expect(text).toBe('I have it looked up.\n\nIt was found.');
});

test('the texts of an agent that waits for its sub-agents are all there', async () => {
  const text = await textOf(({ turn }) =>
    turn === 1 ? { text: 'I look it up.', calls: [call('kid', 'wait')] } : 'It was found.',
  );
  expect(text).toBe('I look it up.\n\nIt was found.');
});

test('the pieces of a text follow one another, and each text its own line', () => {
  const run = 'top-00000000000001';
  const who = { run, root: run, agent: 'top', model: 'a/b', depth: 0 };
  const piece = (text: string, kind: 'text' | 'thinking' = 'text'): RunEvent => ({
    type: 'message_delta',
    ...who,
    turn: 1,
    kind,
    text,
  });
  const waits: RunEvent = { type: 'turn_waiting', ...who, turn: 1, delayMs: 1, reason: '' };
  const written: string[] = [];
  const tell = createAnswerText(run, (text) => written.push(text));
  const other = { ...piece('of another'), run: 'kid-00000000000001-t1c1' };
  for (const event of [piece('a'), piece('hm', 'thinking'), other, piece('b'), waits, piece('c')])
    tell(event);
  expect(written).toEqual(['a', 'b', '\n\nc']);
});
