import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import type { AgentSource } from '../../../src/core/agent-schema/agent-source.ts';
import { choosePack, isOfPack, packName, takesNext } from '../../../src/core/agent-schema/packs.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';

const CURRENT = 'agents@000000000001';
const NEXT = 'agents-next@000000000002';

/** A pack that has agents of these names. */
function pack(name: string, agents: readonly string[]) {
  const source: AgentSource = {
    list: async () => [...agents],
    async read(agent) {
      if (!agents.includes(agent)) return undefined;
      const bytes = Buffer.from(`name = "${agent}"\nmodel = "offline/extractive"\n`);
      return parseAgent(agent, { path: `${agent}.toml`, root: '/', bytes });
    },
    readSkill: async () => undefined,
  };
  return { name, source };
}

function packs(share: number, current = ['a'], next = ['a']) {
  return { current: pack(CURRENT, current), next: pack(NEXT, next), share: async () => share };
}

const share = fc.double({ min: 0, max: 1, noNaN: true });

test('a tree takes the same pack whenever it is asked, and keeps the next one as the share grows', () => {
  fc.assert(
    fc.property(fc.string(), share, share, (root, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(takesNext(root, less)).toBe(takesNext(root, less));
      if (takesNext(root, less)) expect(takesNext(root, more)).toBe(true);
      expect([takesNext(root, 0), takesNext(root, 1)]).toEqual([false, true]);
    }),
  );
});

test('of many new trees, the share takes the next pack, whatever their agent and however close their ids', () => {
  const trees = 1_000;
  fc.assert(
    fc.property(fc.constantFrom('a', 'lead', 'clerk-2'), share, fc.nat(), (agent, wanted, begin) => {
      // Ids begin with the time, so that neighbours differ in their last characters alone.
      const ids = Array.from({ length: trees }, (_, index) => newRunId(agent, begin + index));
      const taken = ids.filter((id) => takesNext(id, wanted)).length / trees;
      // Six standard deviations: one case of 500 million goes beyond.
      expect(Math.abs(taken - wanted)).toBeLessThan(6 * Math.sqrt((wanted * (1 - wanted)) / trees) + 1e-3);
    }),
    { numRuns: 20 },
  );
});

test('everything below a top takes the pack of its caller, whatever the share is by then', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), share, fc.constantFrom(CURRENT, NEXT), async (root, now, taken) => {
      const below = { root, agent: 'a', isTop: false, pack: taken };
      expect((await choosePack(below, packs(now))).name).toBe(taken);
      // A tree that began when there was one pack.
      expect((await choosePack({ root, agent: 'a', isTop: false }, packs(now))).name).toBe(CURRENT);
    }),
  );
});

test.each([
  ['the pack itself', NEXT, NEXT],
  ['the newest from the same folder, where that has been deployed again', 'agents-next@00000000000f', NEXT],
  ['the same agents under the name of the current ones, where they have moved there', CURRENT, CURRENT],
  ['the current one, where its folder is gone', 'agents-2025@00000000000f', CURRENT],
])('a tree goes on with %s', async (_, taken, found) => {
  const below = { root: 'a-1', agent: 'a', isTop: false, pack: taken };
  expect((await choosePack(below, packs(0.5))).name).toBe(found);
});

test.each([
  ['in the next pack only', 0, ['a'], ['a', 'new'], 'new', NEXT],
  ['in the current one only', 1, ['a', 'old'], ['a'], 'old', CURRENT],
  ['in none, which is then missing from the one that is wanted', 1, ['a'], ['a'], 'none', NEXT],
])(
  'a tree is never without its agent by chance: one that is %s',
  async (_, chance, current, next, agent, found) => {
    const top = { root: 'x', agent, isTop: true };
    expect((await choosePack(top, packs(chance, current, next))).name).toBe(found);
  },
);

test('a pack is meant by its name or by its folder', () => {
  const name = packName('agents-next', '000000000002');
  expect([name, 'agents-next', 'agents', ''].map((wanted) => isOfPack(name, wanted))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
