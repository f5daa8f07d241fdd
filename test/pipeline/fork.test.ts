import { describe, expect, test } from 'vitest';
import { latch, openStage, use, type Asked, type Role } from '../fixtures/stage.ts';

const FORKING = { top: 'tools = ["fork"]\nsystem_prompt = "You are top."\n' };

/** The last thing that the model was told. */
const lastOf = ({ request }: Asked) => {
  const last = request.messages.at(-1);
  return last?.role === 'user' ? last.text : '';
};
const isFork = (asked: Asked) => asked.request.messages.some((m) => m.role === 'user' && m.text.includes('forked by'));
const [first] = [(results: string[]) => JSON.parse(results[0] ?? '{}')];

describe('fork', () => {
  test('starts a copy that knows the conversation, and hears of its answer by mail', async () => {
    const top: Role = (asked) => {
      if (isFork(asked)) return `did ${lastOf(asked).split('\n\n')[1]}`;
      const { turn, results } = asked;
      if (turn === 1) return [use('fork', { prompt: 'the work', name: 'helper' })];
      if (turn === 2) return 'waiting';
      if (turn === 3) return [use('mail_check', {})];
      if (turn === 4) return [use('mail_read', { id: first(results).messages[0].id })];
      return `got ${first(results).body}`;
    };
    const stage = await openStage({ top }, FORKING);
    const { out, tree } = await stage.run();
    expect(out).toBe('got {"status":"idle","success":true,"summary":"did the work"}');
    expect(tree.map(({ status, name, derivedBy }) => ({ status, name, derivedBy }))).toEqual([
      { status: 'succeeded', name: undefined, derivedBy: undefined },
      { status: 'succeeded', name: 'helper', derivedBy: 'fork' },
    ]);
  });
});
void latch;
