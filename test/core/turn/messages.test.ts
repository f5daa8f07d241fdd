import { describe, expect, onTestFinished, test } from 'vitest';
import { firstMessages, toMessages, toReceived } from '../../../src/core/turn/messages.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { Message, ToolResult } from '../../../src/core/records/message.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { anOpened, aTurn } from '../../fixtures/records.ts';

const result: ToolResult = { callId: '1', name: 'call_agent', text: 'gold', isError: false };
const opened = anOpened();
const turn = (number: number, text: string, received: Message[] = []) =>
  aTurn({ number, received, answer: { text } });
const said = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const user = (text: string): Message => ({ role: 'user', text });

async function openStore() {
  const { runs, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  return runs;
}

describe('a conversation', () => {
  test('is the first message, and for each turn what it was told and what it answered', () => {
    const results = toReceived([result]);
    expect(
      toMessages([user('go')], [turn(1, 'a'), turn(2, 'b', results)], toReceived([], [{ text: 'more' }])),
    ).toEqual([user('go'), said('a'), { role: 'tool', results: [result] }, said('b'), user('more')]);
  });

  test('has results before what others said', () => {
    expect(
      toMessages([user('go')], [turn(1, 'a')], toReceived([result], [{ text: 'mail' }, { text: 'a word' }])),
    ).toEqual([user('go'), said('a'), { role: 'tool', results: [result] }, user('mail'), user('a word')]);
  });

  test('inherits what another run was sent, without the answer to it', async () => {
    const store = await openStore();
    await store.saveOpened('top-00000000000000', opened);
    await store.saveTurn('top-00000000000000', turn(1, 'a'));
    await store.saveTurn('top-00000000000000', turn(2, 'forked', toReceived([result])));
    const history = [{ run: 'top-00000000000000', to: 2 }];
    const { messages: first } = await firstMessages({ ...opened, message: 'your task', history }, store);
    expect(toMessages(first, [], [])).toEqual([
      user('go'),
      said('a'),
      { role: 'tool', results: [result] },
      user('your task'),
    ]);
  });

  test('inherits the older part of another run as that run was sent it', async () => {
    const store = await openStore();
    const [top, kid] = ['top-00000000000000', 'kid-00000000000000'];
    const long = { ...result, text: 'x'.repeat(100) };
    const summary = { turn: 2, messages: 6, text: 'so far', usage: { inputTokens: 1, outputTokens: 1 } };
    await store.saveOpened(top, opened);
    await store.saveTurn(top, turn(1, 'a'));
    await store.saveTurn(top, turn(2, 'b', toReceived([long])));
    await store.saveTurn(top, { ...turn(3, 'c', toReceived([result])), compaction: { results: 1 } });
    // Left out only after the fork.
    await store.saveTurn(top, { ...turn(4, 'd', toReceived([result])), compaction: { results: 2 } });
    const leftOut = { ...result, text: '[result left out: 100 characters]' };
    const fork = { ...opened, message: 'your task', history: [{ run: top, to: 3 }] };
    const inherited = [
      user('go'),
      said('a'),
      { role: 'tool', results: [leftOut] },
      said('b'),
      { role: 'tool', results: [result] },
      user('your task'),
    ];
    expect(await firstMessages(fork, store)).toEqual({ messages: inherited, own: 5 });

    await store.saveOpened(kid, fork);
    await store.saveTurn(kid, turn(1, 'e'));
    await store.saveTurn(kid, { ...turn(2, 'f', toReceived([result])), compaction: { results: 1, summary } });
    const history = [...fork.history, { run: kid, to: 2 }];
    expect((await firstMessages({ ...opened, message: 'mine', history }, store)).messages).toEqual([
      user('your task'),
      user('[The conversation up to here was too long. A summary of it:]\n\nso far'),
      said('e'),
      { role: 'tool', results: [result] },
      user('mine'),
    ]);
  });

  test('is refused where something that it inherits is gone', async () => {
    const store = await openStore();
    await store.saveOpened('top-00000000000000', opened);
    const history = [{ run: 'top-00000000000000', to: 1 }];
    await expect(firstMessages({ ...opened, history }, store)).rejects.toThrow(
      'turn 1 of run "top-00000000000000", which this run inherits, has been deleted',
    );
    await expect(firstMessages({ ...opened, inputOf: 'top-00000000000000' }, store)).rejects.toThrow(
      'the input of run "top-00000000000000", which this run reads, has been deleted',
    );
  });
});
