import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerQuestion, wakeAsker } from '../../../src/core/lifecycle/answer-question.ts';
import { DECISIONS, type Decision } from '../../../src/core/records/question.ts';
import { openStage, use, type Asked, type Stage } from '../../fixtures/stage.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const MODES = ['plan', 'ask', 'auto'] as const;
type Mode = (typeof MODES)[number];
type Way = 'call_agent' | 'sub_agent' | 'spawn_agent';

/** An agent of a tree, which writes a file and starts those below it. */
interface Node {
  /** The way in which its caller starts it; the top has no caller. */
  way: Way;
  /** Of the file of a named agent. */
  mode: Mode;
  ask: string[];
  deny: string[];
  /** The arguments of `spawn_agent`. */
  spawnMode: 'plan' | 'auto' | undefined;
  below: Node[];
}

/** Where a node is, with what it may do, computed from what the agents' files and the calls say. */
interface Placed {
  id: string;
  node: Node;
  parent: Placed | undefined;
  mode: Mode;
  ask: readonly string[];
  deny: readonly string[];
  /** Whether what a person would have to approve is refused. */
  isSilent: boolean;
}

const TOOLS = ['write_file', 'sub_agent', 'spawn_agent'];
const nodeOf = (levels: number): fc.Arbitrary<Node> =>
  fc.record({
    way: fc.constantFrom<Way>('call_agent', 'sub_agent', 'spawn_agent'),
    mode: fc.constantFrom(...MODES, 'ask' as const),
    ask: fc.subarray(TOOLS),
    deny: fc.constantFrom<string[]>([], [], [], ['write_file']),
    spawnMode: fc.constantFrom('plan' as const, 'auto' as const, undefined),
    below: levels === 0 ? fc.constant([]) : fc.array(nodeOf(levels - 1), { maxLength: 2 }),
  });

const narrower = (one: Mode, other: Mode): Mode =>
  MODES.find((mode) => mode === one || mode === other) ?? one;

function place(node: Node, id: string, parent?: Placed): Placed[] {
  const { mode, ask, deny } = node;
  let placed: Placed = { id, node, parent, mode, ask, deny, isSilent: false };
  if (parent !== undefined) {
    const inherited = { ...parent, id, node, parent };
    if (node.way === 'call_agent') placed = { ...placed, mode: narrower(mode, parent.mode) };
    if (node.way === 'sub_agent') placed = inherited;
    if (node.way === 'spawn_agent') {
      const refused = parent.mode === 'auto' ? [] : parent.ask;
      placed = {
        ...inherited,
        mode: narrower(node.spawnMode ?? parent.mode, parent.mode),
        ask: [],
        deny: [...parent.deny, ...refused],
        isSilent: true,
      };
    }
  }
  return [placed, ...node.below.flatMap((each, index) => place(each, `${id}.${index + 1}`, placed))];
}

/** The needs of a call of a node. */
function needs({ mode, ask, deny, isSilent }: Placed, tool: string): 'nothing' | 'approval' | 'cannot be' {
  const writes = tool === 'write_file';
  if (deny.includes(tool) || (mode === 'plan' && (writes || tool === 'spawn_agent'))) return 'cannot be';
  if (!ask.includes(tool) && (mode === 'auto' || !writes)) return 'nothing';
  return isSilent ? 'cannot be' : 'approval';
}

/** Answers everything that is asked until the run has ended. */
async function answerAll({ pipeline }: Stage, decisions: readonly Decision[], ended: Promise<unknown>) {
  let isOver = false;
  void ended.finally(() => (isOver = true));
  const { store } = pipeline;
  for (let count = 0; !isOver;) {
    for await (const { question, wait } of store.openQuestions()) {
      if (wait === undefined) continue;
      const decision = decisions[count++ % decisions.length] ?? 'deny';
      const wake = () => wakeAsker(question, store, pipeline.wake);
      await answerQuestion(question, decision, undefined, {
        store,
        tools: loadOwnTools,
        now: Date.now,
        wake,
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const nameOf = (id: string) => `a${id.replaceAll('.', '-')}`;

function callOf({ id, node }: Placed) {
  if (node.way === 'call_agent') return use('call_agent', { agent: nameOf(id), task: id });
  if (node.way === 'sub_agent') return use('sub_agent', { prompt: id });
  return use('spawn_agent', { task: id, ...(node.spawnMode !== undefined && { mode: node.spawnMode }) });
}

/** A tree of one agent, whose only call needs approval. */
const ASKING: Node = {
  way: 'call_agent',
  mode: 'ask',
  ask: ['write_file'],
  deny: [],
  spawnMode: undefined,
  below: [],
};

test('under any modes and rules, no call that needs approval is carried out without one', async () => {
  const decisions = fc.array(fc.constantFrom(...DECISIONS), { minLength: 1, maxLength: 5 });
  let approvals = 0;
  await fc.assert(
    fc.asyncProperty(nodeOf(2), decisions, async (top, given) => {
      const all = place(top, '1');
      const named = all.filter(({ node, parent }) => parent === undefined || node.way === 'call_agent');
      const others = named.slice(1).map(({ id }) => nameOf(id));
      const role = ({ turn, message }: Asked) => {
        if (turn > 1) return 'done';
        const id = /^(?:Task: )?([\d.]+)$/.exec(message)?.[1];
        const below = all.filter(({ parent }) => parent?.id === id);
        return [use('write_file', { path: `f${id}`, content: 'x' }), ...below.map(callOf)];
      };
      const files = named.map(({ id, node }) => [
        nameOf(id),
        `tools = ["write_file", "sub_agent", "spawn_agent"]\nmode = "${node.mode}"\n` +
          `sub_agents = ${JSON.stringify(others)}\nsub_agents_config = { max_depth = 5 }\n` +
          `permissions = { ask = ${JSON.stringify(node.ask)}, deny = ${JSON.stringify(node.deny)} }\n`,
      ]);
      const roles = Object.fromEntries(named.map(({ id }) => [nameOf(id), role]));
      const stage = await openStage(roles, Object.fromEntries(files));
      const ended = stage.run({ agent: nameOf('1'), prompt: '1' });
      await answerAll(stage, given, ended);
      const { tree } = await ended;
      const { store } = stage.pipeline;
      for (const placed of all) {
        const { id, node, parent } = placed;
        const run = tree.find(({ task }) => task === id);
        const isApproved = async (turnOf: string | undefined, call: number) => {
          const answer = turnOf && (await store.answer({ run: turnOf, turn: 1, call }));
          return answer ? answer.decision === 'approve' || answer.decision === 'always' : false;
        };
        const isWritten = await access(join(stage.cwd, `f${id}`)).then(
          () => true,
          () => false,
        );
        const need = needs(placed, 'write_file');
        const wasApproved = await isApproved(run?.id, 1);
        if (need === 'approval' && wasApproved) approvals += 1;
        const mayBeWritten =
          run !== undefined && (need === 'nothing' || (need === 'approval' && wasApproved));
        expect({ id, need, wasApproved, isWritten }).toEqual({
          id,
          need,
          wasApproved,
          isWritten: mayBeWritten,
        });
        if (parent === undefined || run === undefined || node.way === 'call_agent') continue;
        // An agent that was started by a call that needed approval had it.
        const started = needs(parent, node.way);
        const call = Number(run.parent?.call);
        expect({ id, started, isApproved: await isApproved(run.parent?.run, call) }).toEqual({
          id,
          started: started === 'cannot be' ? 'never' : started,
          isApproved: started === 'approval',
        });
      }
      await stage.pipeline.close();
    }),
    // At random, a few trees may need no approval at all.
    { numRuns: 15, examples: [[ASKING, ['approve']]] },
  );
  expect(approvals).toBeGreaterThan(0);
});
