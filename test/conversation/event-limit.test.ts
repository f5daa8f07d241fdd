import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../src/cli/local-store.ts';
import { EVENT_LIMIT, eventsAtMost, stepsAtMost } from '../../src/conversation/event-limit.ts';
import type { Plan } from '../../src/conversation/plan.ts';
import type { Opened, Turn } from '../../src/conversation/run.ts';
import { takeTurn } from '../../src/conversation/turn.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const id = 'top-00000000000000';
const opened: Opened = {
  root: id,
  agent: 'top',
  model: 'm/x',
  system: '',
  message: 'go',
  temperature: 0,
  maxTokens: 0,
  tools: [],
  delegation: { subAgents: ['kid'], depth: 0, maxDepth: 3, parallel: true, timeout: 0 },
  timeout: 0,
};

function turnOf(number: number, plans: Plan[]): Turn {
  const calls = plans.map((_, index) => ({ id: `${index}`, name: 'call_agent', arguments: {} }));
  const usage = { inputTokens: 1, outputTokens: 1 };
  const answer = { text: '', calls, stopReason: 'tool_calls' as const, rawStopReason: '', usage };
  return { number, results: [], answer, plans, at: '', latencyMs: 0 };
}

const delegations = (count: number): Plan[] =>
  Array.from({ length: count }, () => ({ kind: 'delegate', agent: 'kid', task: 'x', context: '' }));
const refusals = (count: number): Plan[] =>
  Array.from({ length: count }, () => ({ kind: 'done', text: 'no', isError: true }));

/** Takes the last of these turns, which are all kept already. */
async function take(turns: Turn[]) {
  const { runs: store, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  await store.saveOpened(id, opened);
  for (const turn of turns) await store.saveTurn(id, turn);
  const ports = {
    store,
    models: { open: () => Promise.reject(new Error('nobody is asked')) },
    emit: () => {},
    now: Date.now,
  };
  const event = { run: id, turn: turns.length, deadline: Date.now() + 9_000, timeout: 9, outcomes: [] };
  return takeTurn(event, ports, new AbortController().signal);
}

describe('a conversation', () => {
  const full = Array.from({ length: 22 }, (_, index) => turnOf(index + 1, delegations(100)));
  const left = stepsAtMost(23) - 2_200;

  test('is carried on while its history can hold what it asks for', async () => {
    const output = await take([...full, turnOf(23, [...refusals(70), ...delegations(left)])]);
    expect(output).toMatchObject({ next: 'act', steps: { length: left } });
  });

  test('ends with a word on what to do before its history is full', async () => {
    await expect(take([...full, turnOf(23, delegations(left + 1))])).rejects.toMatchObject({
      name: 'AgentError',
      message: `agent exceeded what one execution can record: ${2_201 + left} calls in 23 turns could pass its 25000 events; give it less to do, or let its sub-agents make some of the calls`,
    });
  });

  test('may have as many steps as fit under the limit, and not one more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 49 }), (turns) => {
        const steps = stepsAtMost(turns);
        expect(eventsAtMost(turns, steps)).toBeLessThanOrEqual(EVENT_LIMIT);
        expect(eventsAtMost(turns, steps + 1)).toBeGreaterThan(EVENT_LIMIT);
      }),
    );
  });
});
