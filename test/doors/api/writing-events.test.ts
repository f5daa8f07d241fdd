import { expect, test } from 'vitest';
import { use, latch, type Asked } from '../../fixtures/stage.ts';
import { serveAgents } from './served-agents.ts';

/** Follows what the model of a run writes, and hands on each event. */
async function* follow(url: string, last?: string): AsyncGenerator<{ id: string; data: unknown }> {
  const response = await fetch(url, { ...(last !== undefined && { headers: { 'last-event-id': last } }) });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id = '', data] = /^id: (\S+)\ndata: (.*)$/.exec(block) ?? [];
      if (data !== undefined) yield { id, data: JSON.parse(data) };
    }
  }
}

test('a follower gets the thoughts and the words of each answer as they come, and can come back', async () => {
  const steps = [latch(), latch(), latch(), latch(), latch()] as const;
  const served = await serveAgents(
    {
      async top({ turn, onDelta }: Asked) {
        if (turn === 1) {
          await steps[0].opened;
          onDelta?.({ type: 'thinking', text: 'hm' });
          await steps[1].opened;
          onDelta?.({ type: 'text', text: 'Let me ' });
          await steps[2].opened;
          onDelta?.({ type: 'text', text: 'look.' });
          await steps[3].opened;
          return { text: 'Let me look.', calls: [use('list_directory', { path: '.' })] };
        }
        onDelta?.({ type: 'text', text: 'Nothing' });
        await steps[4].opened;
        return 'Nothing.';
      },
    },
    { top: 'tools = ["files"]\n' },
  );
  const { body } = await served.post('/agents/top/runs', { json: { prompt: 'go' } });
  const url = `${served.server.url}/runs/${String(body['run_id'])}/writing/events`;
  const events = follow(url);
  const first = events.next();
  steps[0].open();
  expect((await first).value?.data).toEqual({ turn: 1, offset: 0, text: '', thinking: 'hm' });
  steps[1].open();
  const begun = (await events.next()).value;
  expect(begun?.data).toEqual({ turn: 1, offset: 0, text: 'Let me ' });
  steps[2].open();
  expect((await events.next()).value?.data).toEqual({ turn: 1, offset: 7, text: 'look.' });
  const again = follow(url, begun?.id);
  expect((await again.next()).value?.data).toEqual({ turn: 1, offset: 7, text: 'look.' });
  await again.return(undefined);
  steps[3].open();
  expect((await events.next()).value?.data).toEqual({ turn: 2, offset: 0, text: 'Nothing' });
  steps[4].open();
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect((await fetch(url)).status).toBe(204);
});
