import { beforeEach, describe, expect, test, vi } from 'vitest';
import { nextOf } from '../../../../src/doors/console/tree/search.ts';
import { ownTime, stretchesOf, timesText, timesUntil } from '../../../../src/doors/console/tree/spans.ts';
import {
  lookOf,
  nameOf,
  RUN_STATES,
  stateName,
  stateWords,
  troubleWords,
} from '../../../../src/doors/console/tree/state-words.ts';
import { timeScale } from '../../../../src/doors/console/tree/time-scale.ts';
import { costOf, tokensOf } from '../../../../src/doors/console/tree/totals.ts';
import { TreeStore, type TreeNode } from '../../../../src/doors/console/tree/tree-store.ts';
import { above, visibleRows } from '../../../../src/doors/console/tree/visible-rows.ts';
import { ago, anOverview, below, NOW, type Overview } from '../pictures/answers.ts';

let frames: (() => void)[] = [];
const session = new Map<string, string>();

beforeEach(() => {
  frames = [];
  session.clear();
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => session.get(key) ?? null });
});

const top = anOverview('lead');

function treeOf(runs: readonly Overview[], id = top.run_id): { tree: TreeStore; root: TreeNode } {
  const tree = new TreeStore(id);
  tree.put(runs);
  const { root } = tree;
  if (root === undefined) expect.fail('the tree has no top');
  return { tree, root };
}

const agentsOf = (nodes: readonly TreeNode[]) => nodes.map(({ run }) => run.agent);

describe('a tree on the page', () => {
  const coder = below(top, 'coder', 1);
  const tester = below(top, 'tester', 2, { usd: null, status: 'failed' });
  const helper = below(coder, 'helper', 1, { status: 'running', waits_for: [aQuestion()] });

  test('has its runs in the order of their calls, in whatever order they come', () => {
    const late = below(top, 'late', 1, { parent: { run: top.run_id, turn: 2, call: 1 } });
    for (const runs of [
      [top, coder, tester, late, helper],
      [helper, late, tester, coder, top],
    ]) {
      const { root } = treeOf(runs);
      expect(
        visibleRows(root, new Set()).map((row) => [row.node.run.agent, row.level, row.position]),
      ).toEqual([
        ['lead', 0, 1],
        ['coder', 1, 1],
        ['helper', 2, 1],
        ['tester', 1, 2],
        ['late', 1, 3],
      ]);
    }
  });

  test('has lines for what is not below a folded run, and knows what is above one', () => {
    const { tree, root } = treeOf([top, coder, tester, helper]);
    const shown = visibleRows(root, new Set([coder.run_id])).map(({ node }) => node);
    expect(agentsOf(shown)).toEqual(['lead', 'coder', 'tester']);
    const lowest = tree.node(helper.run_id);
    expect(lowest && agentsOf(above(lowest))).toEqual(['coder', 'lead']);
  });

  test('adds up each run with those below it, and what has changed of them', () => {
    const { tree, root } = treeOf([top, coder, tester, helper]);
    expect(root.totals).toEqual({
      runs: 4,
      turns: 9,
      toolCalls: 9,
      inputTokens: 30_700,
      outputTokens: 2_670,
      cacheReadTokens: 24_000,
      usd: expect.closeTo(0.1144, 9),
      unpriced: 1,
      atWork: 1,
      failures: 1,
      asking: 1,
    });
    expect([tokensOf(root.totals), costOf(root.totals)]).toEqual([33_370, expect.closeTo(0.1144, 9)]);
    expect(costOf(tree.node(tester.run_id)?.totals ?? root.totals)).toBe(null);
    const { waits_for: _, ...rest } = helper;
    tree.put([{ ...rest, status: 'succeeded', turns: 5 }]);
    expect(root.totals).toMatchObject({ runs: 4, turns: 12, atWork: 0, asking: 0, failures: 1 });
    expect(tree.node(coder.run_id)?.totals).toMatchObject({ runs: 2, turns: 7 });
  });

  test('tells of its changes once for each frame, however many there are', () => {
    const { tree } = treeOf([top]);
    let told = 0;
    const leave = tree.subscribe(() => (told += 1));
    tree.put([coder]);
    tree.put([tester, helper]);
    tree.put([]);
    expect([frames.length, told]).toEqual([1, 0]);
    frames[0]?.();
    expect([tree.version, tree.shape, told]).toEqual([3, 4, 1]);
    expect(tree.lastEnd).toBe(Date.parse(ago(455)));
    tree.put([coder]);
    leave();
    frames[1]?.();
    expect([tree.version, tree.shape, told]).toEqual([4, 4, 1]);
  });

  test('is gone through for what is wanted from any run on, around its end', () => {
    const { root } = treeOf([top, coder, tester, helper]);
    const next = (from: Overview, step: 1 | -1, isWanted: (node: TreeNode) => boolean = () => true) =>
      nextOf(root, from.run_id, isWanted, step)?.run.agent;
    expect([next(top, 1), next(helper, 1), next(tester, 1)]).toEqual(['coder', 'tester', 'lead']);
    expect([next(top, -1), next(helper, -1), next(tester, -1)]).toEqual(['tester', 'coder', 'helper']);
    const hasFailed = ({ run }: TreeNode) => run.status === 'failed';
    expect([next(top, 1, hasFailed), next(tester, 1, hasFailed)]).toEqual(['tester', 'tester']);
    expect(next(top, 1, () => false)).toBe(undefined);
  });
});

function aQuestion(tool?: string) {
  return {
    for: 'person' as const,
    since: ago(9),
    question_id: 't1c1',
    question: 'May I?',
    ...(tool !== undefined && { tool }),
  };
}

describe('the state of a run in words', () => {
  test('is one of those that runs can be found by, or says what is missing and who ended it', () => {
    expect(RUN_STATES.map(([phase]) => phase)).toEqual([
      'running',
      'idle',
      'succeeded',
      'budget_exceeded',
      'failed',
      'timed_out',
      'stopped',
      'interrupted',
    ]);
    const nameWith = (over: Partial<Overview>) => stateName({ ...top, ...over });
    expect(nameWith({})).toBe('succeeded');
    expect(nameWith({ incomplete: 'refusal' })).toBe('succeeded, but its model refused to answer');
    expect(nameWith({ status: 'stopped', stopped_by: 'ada' })).toBe('stopped by ada');
    expect(nameWith({ status: 'stopped', killed: true })).toBe('killed');
    expect(nameWith({ status: 'stopped', stopped_by: 'the API' })).toBe('stopped by you');
    const claims = btoa(JSON.stringify({ sub: 'ada' }));
    session.set('cadre-session', JSON.stringify({ token: `e30.${claims}.x` }));
    expect(nameWith({ status: 'stopped', stopped_by: 'ada' })).toBe('stopped by you');
    expect(nameWith({ status: 'stopped', stopped_by: 'the API' })).toBe('stopped by the API');
  });

  test('draws attention where a person is asked or an answer is not whole', () => {
    const lookWith = (over: Partial<Overview>) => lookOf({ ...top, ...over });
    expect(lookWith({})).toEqual({ symbol: '✓', word: 'succeeded', tone: 'good' });
    expect(lookWith({ incomplete: 'max_tokens' })).toEqual({
      symbol: '✓',
      word: 'succeeded',
      tone: 'attention',
    });
    expect(lookWith({ status: 'running', waits_for: [aQuestion()] }).word).toBe('asking');
    const isThinking = { for: 'model' as const, since: ago(9) };
    expect(lookWith({ status: 'running', waits_for: [isThinking] }).word).toBe('running');
  });

  const working = (...waits: NonNullable<Overview['waits_for']>) =>
    anOverview('lead', { status: 'running', waits_for: waits });
  const agents = { for: 'agents' as const, since: ago(9) };
  const coder = below(top, 'coder', 1, { status: 'running' });
  const tester = below(top, 'tester', 2, { status: 'running' });
  const failed = below(top, 'writer', 3, { status: 'failed' });
  const lost = below(top, 'reader', 4, { status: 'interrupted' });
  const since = ago(9);

  test.each<[string, Overview[]]>([
    ['running', [working()]],
    ['thinks', [working({ for: 'model', since })]],
    ['waits for an answer from you', [working({ for: 'model', since }, aQuestion())]],
    ['waits for you to approve run_command', [working(aQuestion('run_command'))]],
    ['uses wait', [working({ for: 'tool', since, tool: 'wait', subject: '' })]],
    ['uses read_file: a.md', [working({ for: 'tool', since, tool: 'read_file', subject: 'a.md' })]],
    ['waits for messages', [working({ for: 'messages', since })]],
    ['waits for messages from a, b', [working({ for: 'messages', since, from: ['a', 'b'] })]],
    ['waits for coder', [working(agents), coder, failed]],
    ['waits for 2 sub-agents', [working(agents), coder, tester]],
    ['waits for coder', [working(agents), coder, { ...tester, beside: true }]],
    ['has answered, and waits for tester', [anOverview('lead', { status: 'idle' }), tester, failed]],
    ['idle', [anOverview('lead', { status: 'idle' }), failed]],
    ['succeeded, although writer failed', [top, failed]],
    ['succeeded, although 2 sub-agents failed', [top, failed, lost]],
    ['timed out', [anOverview('lead', { status: 'timed_out' }), failed]],
  ])('is "%s"', (words, runs) => expect(stateWords(treeOf(runs).root)).toBe(words));

  test.each<[Overview['status'], string]>([
    ['succeeded', 'failed; its caller went on without it'],
    ['running', 'failed; its caller went on without it'],
    ['stopped', 'failed'],
    ['timed_out', 'failed'],
  ])('of a failure below a run that is %s is "%s"', (status, words) => {
    const { tree } = treeOf([anOverview('lead', { status }), failed]);
    const node = tree.node(failed.run_id);
    expect(node && stateWords(node)).toBe(words);
  });

  test('names its troubles, and the run among its siblings', () => {
    expect(
      [
        [0, 0],
        [1, 0],
        [0, 1],
        [2, 3],
      ].map(([calls = 0, retries = 0]) => troubleWords({ ...top, failed_calls: calls, retries })),
    ).toEqual(['', '1 failed call', '1 retry', '2 failed calls, 3 retries']);
    expect(
      [
        {},
        { name: 'scout' },
        { derived_by: 'fork' },
        { name: 'scout', derived_by: 'fork' },
        { name: 'lead' },
      ].map((over) => nameOf({ ...top, ...over })),
    ).toEqual(['lead', 'lead (scout)', 'lead (fork)', 'lead (scout)', 'lead']);
  });
});

describe('the time of a run', () => {
  const open = anOverview('lead', {
    status: 'running',
    started_at: ago(10),
    ended_at: null,
    duration_ms: null,
    times: { own: 1_000, model: 2_000, tool: 0, agents: 3_000, messages: 0, person: 0, idle: 0, gap: 0 },
    spans: [
      ['own', 1_000],
      ['model', 2_000],
      ['agents', 3_000],
      ['tool', null],
    ],
  });
  const start = Date.parse(open.started_at);

  test('is stretches one after the other, of which the last goes on', () => {
    expect(stretchesOf(open, NOW).map(({ kind, from, to }) => [kind, from - start, to - start])).toEqual([
      ['own', 0, 1_000],
      ['model', 1_000, 3_000],
      ['agents', 3_000, 6_000],
      ['tool', 6_000, 10_000],
    ]);
    // The clock of the reader may be behind.
    expect(stretchesOf(open, start).at(-1)).toEqual({ kind: 'tool', from: start + 6_000, to: start + 6_000 });
    const { spans: _, ...untold } = open;
    expect(stretchesOf(untold, NOW)).toEqual([{ kind: 'unknown', from: start, to: NOW }]);
    expect(stretchesOf({ ...untold, ended_at: ago(7) }, NOW)).toEqual([
      { kind: 'unknown', from: start, to: start + 3_000 },
    ]);
  });

  test('is added up by what it is spent on, the longest first', () => {
    const times = timesUntil(open, NOW);
    expect(times).toEqual({ ...open.times, tool: 4_000 });
    expect(times && timesText(times)).toBe(
      'tools 4.0 s, agents below it 3.0 s, its model 2.0 s, own work 1.0 s',
    );
    expect([ownTime(open, NOW), ownTime(top, NOW)]).toEqual([7_000, 75_000]);
    expect(timesUntil(top, NOW)).toEqual(top.times);
    const { times: _, ...untold } = open;
    expect([timesUntil(untold, NOW), ownTime(untold, NOW)]).toEqual([undefined, 10_000]);
  });

  test.each([
    [0, 3, [100]],
    [1_000, 3, [500, 1_000]],
    [90_000, 5, [20_000, 40_000, 60_000, 80_000]],
    [3_600_000, 6, [600_000, 1_200_000, 1_800_000, 2_400_000, 3_000_000, 3_600_000]],
    [1e10, 3, [5e9, 1e10]],
  ])('of %d ms has at most %d marks, at distances that people count in', (length, room, marks) => {
    expect(timeScale(7, 7 + length, room)).toEqual({ start: 7, length: Math.max(100, length), marks });
  });
});
