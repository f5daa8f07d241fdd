import { expect, onTestFinished, test } from 'vitest';
import { call, ModelError, openTestCadre } from '../../../src/doors/library/testing/index.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

// Alone in its file: what a process has loaded once, it need not wait for again.
test('time stands still in the first run of a process while the rules for a failure are loaded', async () => {
  const folder = await tempFolder({
    'agents/review.toml': 'name = "review"\nmodel = "anthropic/claude-sonnet-4-5"\nsub_agents = ["bugs"]\n',
    'agents/bugs.toml': 'name = "bugs"\nmodel = "anthropic/claude-sonnet-4-5"\n',
  });
  const cadre = await openTestCadre({
    folder,
    models: {
      review: [
        call('call_agent', { agent: 'bugs', task: 'Review this change' }),
        ({ results }) => `The others say: ${results.join('; ')}`,
      ],
      bugs: [new ModelError('auth', 'no such key')],
    },
  });
  onTestFinished(() => cadre.close());
  const begun = cadre.now();
  const { content } = await cadre.run('review', { input: 'diff --git …' });
  expect(content).toContain('no such key');
  expect(cadre.now()).toEqual(begun);
});
