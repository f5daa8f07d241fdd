import { expect, onTestFinished, test } from 'vitest';
import { followSchedules, type ScheduledAgent } from '../../../src/authoring/schedule/follow-schedules.ts';
import type { Schedule } from '../../../src/core/agent-schema/schedule/schedule.ts';
import { manualClock } from './manual-clock.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

function scheduled(agent: string, schedule: Partial<Schedule>): ScheduledAgent {
  return {
    agent,
    schedule: {
      kind: 'rate',
      expression: '1 hour',
      timezone: 'UTC',
      prompt: '',
      enabled: true,
      ...schedule,
    },
  };
}

/** The agents that started, as `agent time`. */
function follow(agents: ScheduledAgent[]) {
  const clock = manualClock(START);
  const started: string[] = [];
  const stop = new AbortController();
  const following = followSchedules(
    async () => agents,
    async ({ agent }, tick) => void started.push(`${agent} ${new Date(tick).toISOString().slice(11, 16)}`),
    clock,
    stop.signal,
  );
  onTestFinished(async () => {
    stop.abort();
    await following;
  });
  return { clock, started };
}

test('each agent starts when it comes due, and no other time', async () => {
  const { clock, started } = follow([
    scheduled('hourly', {}),
    scheduled('often', { expression: '30 minutes' }),
    scheduled('once', { kind: 'at', expression: '2026-01-01T00:30:00' }),
    scheduled('off', { expression: '1 minute', enabled: false }),
  ]);
  for (let minute = 1; minute <= 90; minute++) {
    expect(await clock.asleep()).toBe(START + minute * MINUTE);
    clock.moveTo(START + minute * MINUTE);
  }
  await clock.asleep();
  expect(started).toEqual(['often 00:30', 'once 00:30', 'hourly 01:00', 'often 01:00', 'often 01:30']);
});

test('an agent that comes due between two minutes is not late', async () => {
  const { clock, started } = follow([scheduled('odd', { kind: 'at', expression: '2026-01-01T00:00:42' })]);
  expect(await clock.asleep()).toBe(START + 42_000);
  clock.moveTo(START + 42_000);
  await clock.asleep();
  expect(started).toEqual(['odd 00:00']);
});

test('of what came due while the machine slept, the latest starts', async () => {
  const { clock, started } = follow([scheduled('hourly', {})]);
  await clock.asleep();
  clock.moveTo(START + 500 * MINUTE);
  await clock.asleep();
  expect(started).toEqual(['hourly 08:00']);
});

test('a schedule that is changed counts from then on', async () => {
  const agents = [scheduled('a', { expression: '2 minutes' })];
  const { clock, started } = follow(agents);
  for (let minute = 1; minute <= 6; minute++) {
    await clock.asleep();
    if (minute === 4) agents.splice(0, 1, scheduled('b', { expression: '1 minute' }));
    clock.moveTo(START + minute * MINUTE);
  }
  await clock.asleep();
  expect(started).toEqual(['a 00:02', 'b 00:04', 'b 00:05', 'b 00:06']);
});
