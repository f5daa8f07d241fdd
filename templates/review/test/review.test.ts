import { call, openTestCadre } from 'cadre/testing';
import { expect, test } from 'vitest';

const DIFF = `diff --git a/pay.ts b/pay.ts
--- a/pay.ts
+++ b/pay.ts
@@ -1 +1 @@
-if (amount > 0) pay(amount);
+if (amount >= 0) pay(amount);
`;

test('review has both sub-agents look at the change, and answers from what they find', async () => {
  const task = 'Review this change';
  const cadre = await openTestCadre({
    models: {
      review: [
        [call('call_agent', { agent: 'bugs', task }), call('call_agent', { agent: 'hazards', task })],
        ({ results }) => `Needs work.\n\n${results.join('\n')}`,
      ],
      bugs: ['pay.ts:1: pays an amount of 0'],
      hazards: ['none'],
    },
  });
  const { content } = await cadre.run('review', { input: DIFF });
  expect(content).toBe('Needs work.\n\npay.ts:1: pays an amount of 0\nnone');
  // They read the change by reference: review does not copy it.
  for (const agent of ['bugs', 'hazards']) {
    expect(JSON.stringify(cadre.asked(agent)[0]?.request.messages)).toContain('amount >= 0');
  }
  await cadre.close();
});

test('review passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({
    models: {
      review: [
        call('call_agent', { agent: 'bugs', task: 'Review this change' }),
        ({ results }) => `Needs work.\n\n${results[0]}`,
      ],
      bugs: ['pay.ts:1: pays an amount of 0'],
    },
  });
  const { passed, cases } = await cadre.evaluate('evals/review.toml');
  expect(passed, JSON.stringify(cases)).toBe(true);
  await cadre.close();
});
