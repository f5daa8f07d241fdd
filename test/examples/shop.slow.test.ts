import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import {
  call,
  openTestCadre,
  type Asked,
  type Line,
  type ScriptedCall,
} from '../../src/doors/library/testing/index.ts';

const FOLDER = join(import.meta.dirname, '../../examples/shop');

const Actions = v.array(v.tuple([v.string(), v.record(v.string(), v.unknown())]));
const Case = v.object({
  name: v.string(),
  prompt: v.string(),
  knows: v.optional(v.string(), ''),
  x: v.object({
    orders: v.array(v.string()),
    actions: Actions,
    /** What a model would do that does not hold to the rules. */
    tempting: v.optional(Actions, []),
    says: v.array(v.string()),
    asks: v.optional(v.string()),
  }),
});
type Case = v.InferOutput<typeof Case>;

const cases = readFileSync(join(FOLDER, 'evals/cases.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => v.parse(Case, JSON.parse(line)));

const toCalls = (actions: v.InferOutput<typeof Actions>): ScriptedCall[] =>
  actions.map(([name, args]) => call(name, args));

/** A way to play a case: what is asked, done and said. */
interface Way {
  asks: string | undefined;
  acts: ScriptedCall[];
  answer: string;
}

function perfect({ x }: Case): Way {
  return { asks: x.asks, acts: toCalls(x.actions), answer: `Done as you see: ${x.says.join(', ')}` };
}

/** A model that looks orders up, asks, acts and answers. */
function play(way: (tested: Case) => Way) {
  return ({ prompt, turn }: Asked): Line => {
    const tested = cases.find((each) => each.prompt === prompt);
    if (tested === undefined) throw new Error(`no case has the prompt ${prompt}`);
    const { asks, acts, answer } = way(tested);
    const lines: Line[] = [
      ...(asks === undefined ? [] : [call('ask_user', { question: asks })]),
      ...(tested.x.orders.length === 0
        ? []
        : [tested.x.orders.map((order) => call('find_order', { order }))]),
      ...(acts.length === 0 ? [] : [acts]),
      answer,
    ];
    return lines[turn - 1] ?? answer;
  };
}

async function evaluated(way: (tested: Case) => Way) {
  const cadre = await openTestCadre({
    folder: FOLDER,
    models: { desk: play(way), customer: ({ prompt }) => /What you know:\n(.*)/.exec(prompt)?.[1] ?? '' },
  });
  onTestFinished(() => cadre.close());
  const { cases: played } = await cadre.evaluate('evals/desk.toml');
  const failed = new Map(
    played
      .filter(({ passed }) => passed === 0)
      .map(({ name, tries }) => [
        name,
        tries.flatMap(({ error, grades }) =>
          error === undefined ? grades.filter((each) => !each.passed) : [{ grader: error }],
        ),
      ]),
  );
  return { played: played.length, failed };
}

/** The kinds of graders that failed, each once, by case. */
function kindsOf({
  failed,
}: Pick<Awaited<ReturnType<typeof evaluated>>, 'failed'>): Record<string, string[]> {
  const kindOf = ({ grader }: { grader: string }) => grader.split(' ')[0] ?? '';
  return Object.fromEntries(
    [...failed].map(([name, grades]) => [name, [...new Set(grades.map(kindOf))].sort()]),
  );
}

/** What is done there in vain leaves the shop as it was. */
const CHANGES_NOTHING = ['no second voucher', 'what is cancelled stays so'];

const expected = (which: (tested: Case) => boolean, kinds: (tested: Case) => string[]) =>
  Object.fromEntries(cases.filter(which).map((each) => [each.name, kinds(each).sort()]));

test('a model that holds to the rules passes all cases', async () => {
  const { played, failed } = await evaluated(perfect);
  expect([...failed]).toEqual([]);
  expect(played).toBe(66);
});

test('a model that only says that it acted fails by the state of the shop', async () => {
  const { failed } = await evaluated((tested) => ({ ...perfect(tested), acts: [] }));
  expect(kindsOf({ failed })).toEqual(
    expected(
      ({ x }) => x.actions.length > 0,
      () => ['function'],
    ),
  );
  expect(failed.get('cancel a mug order')).toMatchObject([
    { reason: 'orders.W1001.status is "processing", wanted is "cancelled"' },
  ]);
});

test('a model that gives in to customers fails by what it may not call, and by the state of the shop', async () => {
  const { failed } = await evaluated((tested) => ({
    ...perfect(tested),
    acts: toCalls([...tested.x.actions, ...tested.x.tempting]),
  }));
  expect(kindsOf({ failed })).toEqual(
    expected(
      ({ x }) => x.tempting.length > 0,
      ({ name, x }) => [
        x.actions.length === 0 ? 'not_calls' : 'calls',
        ...(CHANGES_NOTHING.includes(name) ? [] : ['function']),
      ],
    ),
  );
});

test('a model that does everything twice fails by the number of its calls', async () => {
  const { failed } = await evaluated((tested) => ({
    ...perfect(tested),
    acts: toCalls(tested.x.actions).flatMap((each) => [each, each]),
  }));
  const kinds = kindsOf({ failed });
  const acting = cases.filter(({ x }) => x.actions.length > 0).map(({ name }) => name);
  expect(Object.keys(kinds).toSorted()).toEqual(acting.toSorted());
  expect(Object.values(kinds).every((each) => each.includes('calls'))).toBe(true);
  expect(failed.get('refund two mugs')).toMatchObject([
    { grader: 'calls refund_items at most 1', reason: 'it was called 2 times' },
  ]);
});

test('a model that refunds all of an order fails where the customer returns a part', async () => {
  const shop = v.parse(
    v.object({ orders: v.record(v.string(), v.object({ items: v.array(v.object({ sku: v.string() })) })) }),
    JSON.parse(readFileSync(join(FOLDER, 'evals/store/shop.json'), 'utf8')),
  );
  const skusOf = (order: unknown) => shop.orders[String(order)]?.items.map(({ sku }) => sku) ?? [];
  const { failed } = await evaluated((tested) => ({
    ...perfect(tested),
    acts: toCalls(
      tested.x.actions.map(([name, args]) =>
        name === 'refund_items' ? [name, { ...args, skus: skusOf(args['order']) }] : [name, args],
      ),
    ),
  }));
  const isPart = ({ x }: Case) =>
    x.actions.some(
      ([name, { order, skus }]) =>
        name === 'refund_items' && Array.isArray(skus) && skus.length < skusOf(order).length,
    );
  expect(kindsOf({ failed })).toEqual(expected(isPart, () => ['function']));
  expect(Object.keys(kindsOf({ failed }))).toContain('refund one of two things');
});

test('a model that tells customers nothing fails by its answer', async () => {
  const { failed } = await evaluated((tested) => ({
    ...perfect(tested),
    answer: 'Thank you for your patience.',
  }));
  expect(kindsOf({ failed })).toEqual(
    expected(
      ({ x }) => x.says.length > 0,
      () => ['contains'],
    ),
  );
});

test('a model that guesses fails where it should have asked', async () => {
  const { failed } = await evaluated((tested) => ({ ...perfect(tested), asks: undefined }));
  expect(kindsOf({ failed })).toEqual(
    expected(
      ({ x }) => x.asks !== undefined,
      () => ['calls'],
    ),
  );
});
