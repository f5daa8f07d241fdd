import * as v from 'valibot';
import { afterAll, describe, expect, test } from 'vitest';
import { serveAgentOfOthers, type AgentOfOthers } from '../fixtures/agent-of-others.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

/** It asks which day a room is for, and never ends what it is told to sleep on. */
let booking: AgentOfOthers;
const ORIGIN = 'https://booking.example.org';

/** @returns where it is outside the account, and here */
export async function serveBooking(): Promise<Record<string, string>> {
  booking = await serveAgentOfOthers(
    (text) => {
      if (text.includes('sleep')) return new Promise(() => {});
      return text.includes('room')
        ? { asks: 'Which day?', choices: ['Monday', 'Friday'] }
        : { answers: `on ${text}` };
    },
    { origin: ORIGIN },
  );
  return { [ORIGIN]: booking.endpoint };
}

export const SECRETS = { BOOKING_TOKEN: 'a-token' };
export const AGENTS = {
  traveller: `name = "traveller"
model = "bedrock/anthropic.claude-traveller"
[[remote_agents]]
name = "booking"
url = "${ORIGIN}"
headers = { Authorization = "Bearer \${BOOKING_TOKEN}" }
`,
};
export const ROLES: Record<string, Role> = {
  traveller: ({ message, turn, results }) =>
    turn === 1 ? [{ call: 'booking', task: message }] : results.map(({ text }) => text).join(),
};

const Listed = v.object({ questions: v.array(v.looseObject({ root: v.string(), run_id: v.string() })) });

// Milliseconds: functions start from cold, each in a process of its own.
export const describeRemoteAgents = () =>
  describe('an agent that calls one of somebody else', () => {
    afterAll(() => booking.close());

    const caller = 'ada';
    const get = (path: string) => rehearsal.askApi('GET', path, { caller });
    const post = (path: string, json: object = {}) => rehearsal.askApi('POST', path, { caller, json });
    const start = async (prompt: string) =>
      String((await post('/agents/traveller/runs', { prompt })).body['run_id']);
    const statuses = async (run: string) =>
      v
        .parse(
          v.object({ runs: v.array(v.looseObject({ agent: v.string(), status: v.string() })) }),
          (await get(`/runs/${run}/tree`)).body,
        )
        .runs.map(({ agent, status }) => `${agent} ${status}`);

    test('hands its task over, waits for it between looks, and puts its question before a person', async () => {
      const run = await start('a room');
      const asked = async () =>
        v.parse(Listed, (await get('/questions')).body).questions.find(({ root }) => root === run);
      await expect.poll(asked).toMatchObject({
        agent: 'booking',
        question_id: expect.any(String),
        question: 'Which day?',
        choices: ['Monday', 'Friday'],
      });
      const question = await asked();
      await post(`/runs/${question?.run_id}/questions/${String(question?.['question_id'])}/answer`, {
        choice: 'Friday',
      });
      const result = async () => (await get(`/runs/${run}/result?wait=25`)).body;
      await expect.poll(result).toMatchObject({ status: 'succeeded', content: 'on Friday' });
      expect(booking.told).toEqual(['Task: a room', 'Friday']);
      expect([...booking.signedIn]).toEqual(['Bearer a-token']);
      expect(await statuses(run)).toEqual(['traveller succeeded', 'booking succeeded']);
    }, 120_000);

    test.each([
      ['the tree is stopped', (run: string) => post(`/runs/${run}/stop`), 'stopped'],
      [
        'its run is killed',
        async (run: string) => {
          const { runs } = v.parse(
            v.object({ runs: v.array(v.looseObject({ run_id: v.string(), agent: v.string() })) }),
            (await get(`/runs/${run}/tree`)).body,
          );
          return post(`/runs/${runs.find(({ agent }) => agent === 'booking')?.run_id}/kill`);
        },
        'succeeded',
      ],
    ])(
      'has its task given up where %s',
      async (_, end, status) => {
        const before = booking.canceled.length;
        const heard = booking.told.length;
        const run = await start('sleep');
        await expect.poll(() => booking.told.length).toBe(heard + 1);
        await expect.poll(() => statuses(run)).toContain('booking running');
        expect((await end(run)).status).toBeLessThan(300);
        await expect.poll(() => booking.canceled.length).toBe(before + 1);
        const result = async () => (await get(`/runs/${run}/result?wait=25`)).body;
        await expect.poll(result).toMatchObject({ status });
      },
      120_000,
    );
  });
