import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { call, openTestCadre } from 'cadre/testing';
import { expect, onTestFinished, test } from 'vitest';
import { servePage } from '../page/serve-page.ts';

const folder = join(import.meta.dirname, '..');
const oak = call('book_room', { room: 'Oak', day: 'tuesday', hour: 9 });

test('a room is booked once the person has approved it, and looking for one needs nobody', async () => {
  const rooms = [call('free_rooms', { day: 'tuesday' }), oak, 'Booked.'];
  const cadre = await openTestCadre({ folder, models: { rooms } });
  const { id, result } = await cadre.start('rooms', { prompt: 'Eight people, Tuesday at 9' });
  const asked: string[] = [];
  for await (const event of cadre.watch(id)) {
    if (event.type !== 'question_asked') continue;
    asked.push(event.question);
    await cadre.answer(event, 'approve');
  }
  await result();
  expect(asked).toEqual(['Allow book_room?']);
  expect((await cadre.calls(id)).map(({ result: read }) => read)).toEqual([
    expect.stringContaining('"room":"Oak"'),
    'Oak is booked on tuesday at 9:00',
  ]);
  await cadre.close();
});

test('rooms passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({
    folder,
    models: {
      rooms: ({ prompt, turn }) => {
        if (turn > 1) return 'Oak is free then.';
        return prompt.includes('Book') ? oak : call('free_rooms', { day: 'monday' });
      },
      visitor: ['approve'],
    },
  });
  const { cases } = await cadre.evaluate('evals/rooms.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});

test('the page reaches its agent with the token, and other pages of the browser do not', async () => {
  const agents = createServer((request, response) => {
    if (request.url !== '/agents/rooms/ag-ui') {
      request.socket.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${request.headers.authorization} `);
    request.pipe(response);
  }).listen(0, 'localhost');
  await once(agents, 'listening');
  const page = await servePage(new URL('/agents/rooms/ag-ui', addressOf(agents)), 0, 'secret');
  const nowhere = await servePage(new URL('/', addressOf(agents)), 0);
  onTestFinished(() => void [agents.close(), page.close(), nowhere.close()]);
  const say = async (origin: string, url = addressOf(page)) => {
    const answer = await fetch(`${url}/chat`, { method: 'POST', headers: { origin }, body: 'hello' });
    return [answer.status, await answer.text()];
  };
  const url = addressOf(page);
  expect(await say(url)).toEqual([200, 'data: Bearer secret hello']);
  expect(await say(addressOf(nowhere), addressOf(nowhere))).toEqual([502, 'cadre serve does not answer']);
  expect(await say('http://elsewhere.example')).toEqual([403, '']);
  expect((await fetch(`${url}/../agents/rooms.toml`)).status).toBe(404);
});

function addressOf(server: { address(): unknown }): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? address.port : '';
  return `http://localhost:${String(port)}`;
}
