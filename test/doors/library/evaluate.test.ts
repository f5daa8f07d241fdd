import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, openTestCadre, type Script } from '../../../src/doors/library/testing/index.ts';
import { png } from '../../fixtures/images.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('an evaluation is played with scripts, its person and its judge among them, and takes no real time', async () => {
  const folder = await tempFolder({
    'agents/desk.toml':
      'name = "desk"\nmodel = "anthropic/claude-sonnet-4-5"\ntools = ["ask_user", "files"]\n',
    'agents/guest.toml': 'name = "guest"\nmodel = "anthropic/claude-sonnet-4-5"\n',
    'evals/room.png': png(2, 1),
    'evals/desk.toml': `agent = "desk"
repeat = 2
[judge]
model = "anthropic/claude-sonnet-4-5"
[[cases]]
name = "which day"
prompt = "book a room"
attach = ["room.png"]
person = "guest"
timeout = 7200
knows = "you come on Friday"
expect = [{ contains = "Friday" }, { judge = "is polite" }, { seconds_at_most = 4000 }]
`,
  });
  const cadre = await openTestCadre({
    folder,
    models: {
      desk: [
        call('ask_user', { question: 'When do you come?' }),
        { text: 'slow', calls: [call('list_directory', {})], takes: 3_600_000 },
        ({ request }) =>
          `Booked: ${JSON.stringify(request.messages).includes('Friday') ? 'Friday' : 'never'}`,
      ],
      guest: [({ prompt }) => ({ text: prompt.includes('Friday') ? 'On Friday' : 'no idea', takes: 60_000 })],
      'eval-judge': ['{"score": 4, "reason": "it is short"}'],
    },
  });
  onTestFinished(() => cadre.close());
  const { passed, cases, variants } = await cadre.evaluate('evals/desk.toml');
  expect(
    cases.flatMap(({ tries }) => tries.flatMap(({ grades }) => grades.map((each) => each.passed))),
  ).toEqual(Array.from({ length: 6 }, () => true));
  expect(passed).toBe(true);
  expect(variants[0]?.p95_seconds).toBeGreaterThan(3600);
  expect(JSON.stringify(cadre.asked('desk')[0]?.request.messages)).toContain('image/png');
  // Its runs are among the others of the test.
  const made = await cadre.calls(cases[0]?.tries[0]?.run_id ?? '');
  expect(made.map(({ tool }) => tool)).toEqual(['ask_user', 'list_directory']);
});

const GOOD: Record<string, Record<string, Script>> = {
  minimal: { hello: ['It books rooms of a hotel.'] },
  review: { review: ['Needs work.\n\npay.ts:1: pays an amount of 0'] },
};

test.each(Object.entries(GOOD))(
  'the evaluation of the template %s passes for an answer that is right',
  async (template, models) => {
    const folder = await tempFolder();
    cpSync(join(ROOT, 'agents'), join(folder, 'agents'), { recursive: true });
    cpSync(join(ROOT, 'templates', template), folder, { recursive: true });
    const [agent = ''] = Object.keys(models);
    const right = await openTestCadre({ folder, models });
    onTestFinished(() => right.close());
    expect((await right.evaluate(`evals/${agent}.toml`)).passed).toBe(true);
    const wrong = await openTestCadre({ folder, models: { [agent]: ['I do not know.'] } });
    onTestFinished(() => wrong.close());
    expect((await wrong.evaluate(`evals/${agent}.toml`)).passed).toBe(false);
  },
);
