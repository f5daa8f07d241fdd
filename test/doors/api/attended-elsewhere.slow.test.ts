import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createOpenAiApi } from '../../../src/doors/api/openai/openai-api.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { CLOUD_POLL_MS } from '../../../src/places/follow/view.ts';
import { call, latch, type Role } from '../../fixtures/stage.ts';
import { contextOf } from './served-agents.ts';

test('a stream has every word of a run that others carry out, as their records have it', async () => {
  const isWatched = latch();
  const roles: Record<string, Role> = {
    top({ turn }) {
      if (turn === 1) return { text: 'Let me see.', calls: [call('kid', 'x')] };
      return 'one and two';
    },
    async kid() {
      await isWatched.opened;
      return 'so';
    },
  };
  // As in an account, where a run may be about to start.
  const { context, pipeline } = await contextOf(roles, { top: 'sub_agents = ["kid"]\n' });
  const follow = createFollow({
    store: pipeline.store,
    isCarriedOut: async () => true,
    pollMs: CLOUD_POLL_MS,
  });
  const api = createOpenAiApi({ ...context, environment: { ...context.environment, ...follow } });
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://doors.example/v1',
    fetch: async (url, init) => api.request(String(url), init),
  });
  const stream = await client.chat.completions.create({
    model: 'cadre/top',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
  });
  let content = '';
  for await (const { choices } of stream) {
    content += choices[0]?.delta.content ?? '';
    if (content !== '') isWatched.open();
  }
  expect(content).toBe('Let me see.\n\none and two');
});
