import { expect, onTestFinished, test } from 'vitest';
import { serveAgentOfOthers } from '../../fixtures/agent-of-others.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { call, openStage, type Asked } from '../../fixtures/stage.ts';
import { typed } from '../../fixtures/typed.ts';

test('plan, check and costs say that nobody knows here what agents of others cost', async () => {
  const booking = await serveAgentOfOthers(() => ({ answers: 'booked' }));
  onTestFinished(booking.close);
  const { run, cwd } = await openStage(
    { top: ({ turn, results }: Asked) => (turn === 1 ? [call('booking', 'a room')] : results.join()) },
    { top: `[[remote_agents]]\nname = "booking"\nurl = "${booking.endpoint}"\n` },
  );
  const ended = await inHeldTime(() => run({ tags: { customer: 'acme' } }), 1);
  expect(ended.out).toBe('booked');
  const unknown =
    '"top" may call agents of others (booking): what they cost is not known, and no plan or budget counts it';
  expect((await typed(['plan', 'top'], cwd)).err).toContain(unknown);
  expect((await typed(['agents', 'check', 'top'], cwd)).err).toContain(`Warning: ${unknown}\n`);
  for (const by of ['agent', 'tag:customer']) {
    // The model of `top` has no price either.
    expect((await typed(['costs', '--by', by], cwd)).out).toContain(
      '\nwithout 2 runs whose model has no known price\n',
    );
  }
});
