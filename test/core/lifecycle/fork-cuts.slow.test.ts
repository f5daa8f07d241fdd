import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forkFromTurn } from '../../../src/core/lifecycle/fork-from-turn.ts';
import type { Message } from '../../../src/core/records/message.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { firstMessages, sentForTurn } from '../../../src/core/turn/messages.ts';
import { cases } from '../../fixtures/cases.ts';
import { randomOf } from '../../fixtures/random-of.ts';
import { openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';

/** Calls what it likes, for a few turns; breaks now and then; and answers in the end. */
function anyRole(random: () => number, delegates: boolean): Role {
  return ({ turn, request }) => {
    // It is asked to sum up what it was told.
    if (request.tools.length === 0) return 'so far';
    if (turn > 1 && random() < 0.05) throw new Error('broken');
    if (turn > 1 && random() < 0.3) return `answer ${turn}`;
    const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const kind = random();
      if (delegates && kind < 0.2) return use('call_agent', { agent: 'kid', task: 'look' });
      if (delegates && kind < 0.26) return use('fork', { prompt: 'do it' });
      return use('read_file', { path: kind < 0.6 ? 'long.txt' : 'short.txt' });
    });
    // Texts are never left out: where there are many, they are summed up.
    return { text: 'thinking aloud '.repeat(random() < 0.5 ? 300 : 1), calls };
  };
}

const AGENTS = {
  top: 'tools = ["files:read", "fork"]\nsub_agents = ["kid"]\n[sub_agents_config]\nshare_input = true\n[context]\nwindow = 9000\n',
  kid: 'tools = ["files:read"]\n[context]\nwindow = 6000\n',
};
const FILES = { 'long.txt': 'a long line of text\n'.repeat(600), 'short.txt': 'short' };

/** A tree that was talked to, and resumed where it broke. */
async function played(seed: number): Promise<{ stage: Stage; top: Run }> {
  const random = randomOf(seed);
  const stage = await openStage({ top: anyRole(random, true), kid: anyRole(random, false) }, AGENTS, FILES);
  const { run } = await stage.run({ context: 'the input' });
  for (const text of ['more', 'and more']) {
    const now = await stage.pipeline.store.run(run.id);
    if (now?.status === 'failed') await stage.resume(run.id);
    else await stage.environment.send({ run: run.id, text });
    await stage.environment.ended(run.id, { wholeTree: true });
  }
  return { stage, top: run };
}

/** Each result answers a call of the message before it, and each call has its result, in order. */
function assertPaired(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked = before?.role === 'assistant' ? before.calls.map(({ id }) => id) : [];
    const answered = message.role === 'tool' ? message.results.map(({ callId }) => callId) : [];
    expect(answered).toEqual(asked);
  }
  const last = messages.at(-1);
  expect(last?.role === 'assistant' ? last.calls : []).toEqual([]);
}

test('a copy that is cut at any turn of any run has every call with its result, and the words that were asked for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const { stage, top } = await played(seed);
      const { store } = stage.pipeline;
      const again = newRunId('top', Date.now());
      await stage.environment.fork(top, { id: again, turn: 2, text: 'otherwise' });
      await stage.environment.ended(again, { wholeTree: true });
      for (const run of [...(await store.tree(top.id)), ...(await store.tree(again))]) {
        const [opened, turns] = await Promise.all([store.opened(run.id), store.turns(run.id)]);
        if (opened === undefined) continue;
        for (const { number } of turns) {
          const same = (await forkFromTurn(run, { turn: number }, store)).open('copy-00000000000000');
          const copied = await firstMessages(same, store);
          // What a first turn is sent may be a summary; made anew, it begins with all that was said.
          if (number > 1) expect(copied).toEqual(await sentForTurn(number, opened, turns, store));
          assertPaired(copied.messages);
          const other = (await forkFromTurn(run, { turn: number, text: 'other words' }, store)).open(
            'copy-00000000000000',
          );
          const { messages, own } = await firstMessages(other, store);
          assertPaired(messages);
          expect(messages.at(-1)).toEqual({ role: 'user', text: expect.stringMatching(/^other words/) });
          expect(messages[own]?.role).toBe('user');
          // A fork in the same tree has no input of its own.
          const input = opened.inputAt === undefined ? undefined : 'the input';
          expect(other.inputAt && other.message.slice(other.inputAt)).toBe(input);
        }
      }
    }),
    { numRuns: cases(20) },
  );
});
