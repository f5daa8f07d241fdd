import { expect, test } from 'vitest';
import { derive } from '../../../src/core/lifecycle/derive.ts';
import type { Origin } from '../../../src/core/lifecycle/origin.ts';
import type { Opened } from '../../../src/core/records/opened.ts';
import type { Derivation } from '../../../src/core/records/plan.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { aDelegation, anOpened } from '../../fixtures/records.ts';

const CAPS = { toolCalls: 7, warnAt: 5, pauseAt: 0 };

/** What a derived conversation has of the one that it comes from. */
const KEPT = {
  agent: 'top',
  version: '0123456789ab',
  pack: 'next',
  model: 'anthropic/claude-sonnet-4-5',
  system: 'be brief',
  skill: 'cooking',
  skills: [{ name: 'cooking', folder: 'skills/cooking' }],
  files: ['a.md'],
  sharesInput: true,
  sampling: { temperature: 0.5 },
  maxTokens: 99,
  reasoningEffort: 'low',
  api: 'responses',
  service: 'flex',
  stream: false,
  images: true,
  tools: [],
  workdir: 'w',
  folder: 'f/w',
  owner: 'ada',
  sharesWorkspace: true,
  memoryTools: { name: 'top' },
  hooks: [{ on: 'before_call', name: 'h', function: 'h', source: { function: 'h' }, seconds: seconds(9) }],
  guardrail: { id: 'g', version: '1' },
  caps: CAPS,
  budget: { tokens: 1_000 },
  retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 },
  context: { compact: true, window: 5_000 },
} satisfies Partial<Opened>;

/** A conversation with everything that one can have. */
const FROM: Opened = anOpened({
  ...KEPT,
  heldTo: ['washing'],
  message: 'go',
  inputAt: 1,
  inputOf: 'another',
  memory: { name: 'top', maxEntries: 0 },
  quietSeconds: seconds(5),
  timeout: seconds(60),
  isAwaited: true,
  patience: seconds(60),
});

const ORIGIN: Origin = {
  path: 't1c1',
  agent: 'top',
  depth: 1,
  timeout: 0,
  task: 'dig',
  message: 'Task: dig',
  input: '',
  workdir: '',
  overrides: {},
};

/** Of every derived conversation. */
const SAME: Opened = {
  ...KEPT,
  root: FROM.root,
  message: 'Task: dig',
  withheld: [],
  delegation: { ...aDelegation(), depth: 1 },
  timeout: 0,
};

const without = (...keys: (keyof Opened)[]) =>
  Object.fromEntries(Object.entries(SAME).filter(([key]) => !keys.some((one) => one === key)));

test.each<[string, Partial<Derivation>, Partial<Origin>, object]>([
  ['for nothing else', {}, {}, SAME],
  [
    'with another model, whose window and eyes are its own',
    { model: 'groq/x' },
    {},
    { ...without('images'), model: 'groq/x', context: { compact: true } },
  ],
  ['with the same model', { model: FROM.model }, {}, SAME],
  [
    'with a prompt of its own, in which no skill or file is',
    { system: 'dig deep' },
    {},
    { ...without('skill', 'files'), system: 'dig deep' },
  ],
  [
    'with limits of its own, and those of loaded skills',
    { caps: { ...CAPS, toolCalls: 2 }, quietSeconds: seconds(3), skills: ['cooking'] },
    {},
    { ...SAME, caps: { ...CAPS, toolCalls: 2 }, quietSeconds: 3, heldTo: ['cooking'] },
  ],
  ['with the input of another', {}, { inputOf: 'top' }, { ...SAME, inputOf: 'top' }],
  [
    'to be computed, which reads no input and makes few calls',
    { isComputed: true, model: 'planned/delegation' },
    { inputOf: 'top' },
    { ...without('images', 'caps'), model: 'planned/delegation', context: { compact: true } },
  ],
])('a conversation is derived from its caller’s %s', async (_, differences, origin, expected) => {
  const derived = derive(
    { by: 'spawn_agent', from: FROM, differences: { tools: [], ...differences } },
    { ...ORIGIN, ...origin },
    await loadOwnTools([]),
  );
  expect(derived).toEqual(expected);
});

test('a conversation cannot be derived with a model that is none', async () => {
  const tools = await loadOwnTools([]);
  const deriving = (differences: Partial<Derivation>) => () =>
    derive({ by: 'spawn_agent', from: FROM, differences: { tools: [], ...differences } }, ORIGIN, tools);
  expect(deriving({ model: 'x' })).toThrow('invalid model format "x": expected provider/model-name');
  expect(deriving({ remote: 'shop' })).toThrow('agent "top" has no remote agent "shop"');
});
