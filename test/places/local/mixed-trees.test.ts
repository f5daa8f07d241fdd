import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spending } from '../../../src/core/spending/refusal.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { expectNested, listed } from '../../core/events/harness.ts';
import { cases } from '../../fixtures/cases.ts';
import { carryOut, interruptions } from '../../fixtures/interrupted-trees.ts';
import { replayed } from '../../fixtures/replayed.ts';
import { use, type Line } from '../../fixtures/stage.ts';

/** A call of one of the four ways to delegate; one of `delegate_task` stands for several conversations. */
type Call =
  | { way: 'call_agent' | 'sub_agent' | 'spawn_agent'; child: Node }
  | { way: 'delegate_task'; children: Node[]; inOrder: boolean };

/** A conversation: the calls of each of its turns, before the one that answers, or fails. */
interface Node {
  turns: Call[][];
  fails: boolean;
}

const leaf: fc.Arbitrary<Node> = fc.record({
  turns: fc.constant([]),
  fails: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** With so many levels below it. A copy made by `sub_agent` makes no copies itself. */
function nodeOf(levels: number, isCopy = false): fc.Arbitrary<Node> {
  if (levels === 0) return leaf;
  const below = nodeOf(levels - 1);
  const derived = nodeOf(levels - 1, isCopy);
  const calls: fc.Arbitrary<Call> = fc.oneof<fc.Arbitrary<Call>[]>(
    fc.record({ way: fc.constant<'call_agent'>('call_agent'), child: below }),
    fc.record({ way: fc.constant<'spawn_agent'>('spawn_agent'), child: derived }),
    fc.record({
      way: fc.constant<'delegate_task'>('delegate_task'),
      children: fc.array(derived, { minLength: 1, maxLength: 3 }),
      inOrder: fc.boolean(),
    }),
    ...(isCopy
      ? []
      : [fc.record({ way: fc.constant<'sub_agent'>('sub_agent'), child: nodeOf(levels - 1, true) })]),
  );
  return fc.record({
    turns: fc.array(fc.array(calls, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
    fails: fc.constant(false),
  });
}

const childrenOf = (call: Call): Node[] => (call.way === 'delegate_task' ? call.children : [call.child]);

/** `top.1-2-0`: the first conversation of the second call of the first turn of the top. */
const nameOf = (parent: string, turn: number, call: number, child = 0) =>
  `${parent}.${turn}-${call}-${child}`;

function byName(name: string, node: Node): [string, Node][] {
  const below = node.turns.flatMap((calls, turn) =>
    calls.flatMap((call, index) =>
      childrenOf(call).flatMap((child, which) => byName(nameOf(name, turn + 1, index, which), child)),
    ),
  );
  return [[name, node], ...below];
}

function toCall(name: string, turn: number, index: number, call: Call): ToolCall {
  const child = nameOf(name, turn, index);
  switch (call.way) {
    case 'call_agent':
      return use('call_agent', { agent: 'top', task: child });
    case 'sub_agent':
      return use('sub_agent', { prompt: child });
    case 'spawn_agent':
      return use('spawn_agent', { task: child });
    case 'delegate_task': {
      const subtasks = call.children.map((_, which) => ({
        task: nameOf(name, turn, index, which),
        ...(call.inOrder && which > 0 && { depends_on: which - 1 }),
      }));
      return use('delegate_task', { plan: name, subtasks });
    }
  }
}

/** The answers in a result, with any text around them: each begins with `[` and ends with `]`. */
function answersIn(result: string): string {
  const response = result.split('## Sub-agent response\n\n').at(-1) ?? '';
  return (response.match(/^\[[^\n ]*\]$/gm) ?? []).join(';') || '!';
}

/** A conversation's last words; one that fails, or that was never begun, has none. */
function answerOf(name: string, { turns }: Node): string {
  const last = (turns.at(-1) ?? []).map((call, index) => {
    const said = childrenOf(call).map((child, which) =>
      child.fails ? '' : answerOf(nameOf(name, turns.length, index, which), child),
    );
    const failed = childrenOf(call).findIndex(({ fails }) => fails);
    const isStopped = call.way === 'delegate_task' && call.inOrder && failed >= 0;
    return (isStopped ? said.slice(0, failed) : said).filter((each) => each !== '').join(';') || '!';
  });
  return `[${name}(${last.join()})]`;
}

const BUDGET = 10_000_000;
const AGENT = `tools = ["sub_agent", "spawn_agent", "delegate_task"]
sub_agents = ["top"]
budget.max_tokens = ${BUDGET}
sub_agent = { max_depth = 4, max_concurrent = 2 }
[sub_agents_config]
max_depth = 4
`;

test('a tree that delegates in all ways comes to its answer, however it is broken off, and pays for nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(nodeOf(3), interruptions, async (tree, planned) => {
      const nodes = new Map(byName('top', tree));
      const { id, stage, names } = await carryOut(AGENT, planned, (name, { turn, results }): Line => {
        const node = nodes.get(name);
        if (node?.fails) throw new Error(`${name} fails`);
        const calls = node?.turns[turn - 1];
        return calls === undefined
          ? `[${name}(${results.map(answersIn).join()})]`
          : calls.map((call, index) => toCall(name, turn, index, call));
      });
      const { store } = stage.pipeline;
      const runs = await store.tree(id);
      expect((await store.newestTurn(id))?.answer.text).toBe(answerOf('top', tree));
      expect(runs.filter(({ status }) => status !== 'succeeded' && status !== 'failed')).toEqual([]);
      // What was spent is what the turns that were kept cost, and what the killed may have spent at most besides.
      const { used, reserved } = await spending(id, store);
      const tokens = runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
      expect(used.tokens).toBeGreaterThanOrEqual(tokens);
      expect(used.tokens + reserved.tokens).toBeLessThanOrEqual(BUDGET);
      if (planned.every(({ how }) => how === 'stop')) expect(reserved.tokens).toBe(0);
      expect(
        runs.filter(({ model, usage }) => model.startsWith('planned/') && usage.inputTokens > 0),
      ).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      const events = await listed({ id, root: id, path: '' }, store);
      expectNested(events);
      const told = (type: string) => events.filter(({ event }) => event.type === type).length;
      expect([told('run_opened'), told('run_closed')]).toEqual([runs.length, runs.length]);
      expect(told('turn_finished')).toBe(runs.reduce((sum, { usage }) => sum + usage.turns, 0));
      // Every run but the top was asked for by a call of its parent.
      for (const { parent, depth, derivedBy } of runs.slice(1)) {
        const above = runs.find((run) => run.id === parent?.run);
        expect(depth).toBe((above?.depth ?? -1) + (derivedBy === 'delegate_task' ? 0 : 1));
      }
      expect(await replayed(id, stage)).not.toHaveProperty('difference');
    }),
    { numRuns: cases(12) },
  );
});
