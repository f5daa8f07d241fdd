import { expect, test } from 'vitest';
import { openStage, use, type Asked, type Role } from '../../fixtures/stage.ts';

const FORKING = { top: 'tools = ["fork"]\n' };
const NOTICE = '[Notification: You have';

const toldOf = ({ request }: Asked) => {
  const last = request.messages.at(-1);
  return last?.role === 'user' ? last.text : '';
};
const isFork = ({ request }: Asked) =>
  request.messages.some((message) => message.role === 'user' && message.text.includes('forked by'));

/** The top forks and answers; what it does after its first notification is its own affair. */
const play = (after: Role): Promise<Awaited<ReturnType<typeof openStage>>> =>
  openStage(
    {
      top(asked) {
        if (isFork(asked)) return 'fork done';
        if (asked.turn === 1) return [use('fork', { prompt: 'x' })];
        return asked.turn === 2 ? 'the answer' : after(asked);
      },
    },
    FORKING,
  );

test('an agent that looks at a message and leaves it unread is told of it once', async () => {
  const stage = await play((asked) => (toldOf(asked).startsWith(NOTICE) ? [use('mail_check', {})] : 'seen'));
  const { code, out } = await stage.run();
  const told = stage.asked.map(toldOf).filter((text) => text.startsWith(NOTICE));
  expect({ code, out, told, turns: stage.asked.filter((asked) => !isFork(asked)).length }).toEqual({
    code: 0,
    out: 'seen',
    told: [`${NOTICE} 1 unread message(s) in your inbox]`],
    turns: 4,
  });
});

test('an agent that has answered keeps its answer, however long it looks at its messages', async () => {
  const stage = await play(() => [use('mail_check', {})]);
  const { code, out, err, run } = await stage.run();
  expect({ code, out, err, status: run.status, turns: run.usage.turns }).toEqual({
    code: 0,
    out: 'the answer',
    err: '',
    status: 'succeeded',
    turns: 50,
  });
});
