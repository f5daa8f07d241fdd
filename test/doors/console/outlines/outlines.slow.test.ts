import { join } from 'node:path';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { aPlace } from '../pictures/answers.ts';
import { SCENES } from '../pictures/scenes.ts';
import { ACTS } from './acts.ts';
import { lookAt, type Part, type Seen } from './look-at.ts';
import '../../../../src/doors/console/agents/agent-view.tsx';
import '../../../../src/doors/console/agents/agents-view.tsx';
import '../../../../src/doors/console/compare/compare-view.tsx';
import '../../../../src/doors/console/evals/evals-view.tsx';
import '../../../../src/doors/console/servers/servers-view.tsx';
import '../../../../src/doors/console/shared/markdown/code-block.tsx';
import '../../../../src/doors/console/shared/markdown/highlight.ts';
import '../../../../src/doors/console/shared/markdown/markdown-view.tsx';
import '../../../../src/doors/console/tree/run-view.tsx';

const ACCEPTED = join(import.meta.dirname, 'accepted');

afterEach(() => void vi.useRealTimers());

/** What the page keeps from scene to scene is the same for the first one, too. */
beforeAll(async () => {
  await lookAt({ at: '#/', answers: aPlace(), until: '' }, partOf(''));
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Too long to be read here. */
const LEFT_OUT = ['agents-100', 'run-of-1000-agents', 'run-long-texts', 'run-tree', 'run-at-a-call'];
/** These are shown whole, and all others without what is the same in each. */
const WHOLE = ['home-busy', 'runs-many', 'run-succeeded', 'agent-whole', 'frame-signed-in'];
const SAME = '.span-patterns, .span-legend, .tools, .keys, .setup, .send, .runs-filters';
const SAME_IN_ACTS = '.span-patterns, .span-legend';
const QUESTIONS = '.home-column > section:first-child';
/** Of these, only what they are about. */
const PARTS: Record<string, string> = {
  'home-faults': '.home-agents',
  'home-many-questions': QUESTIONS,
  'home-questions-failing': QUESTIONS,
  'home-costs-failing': '.home-right > section, .home-column > .problem',
  'runs-picked': '.runs > :not(ol)',
  'runs-saved-filters': '.runs-filters',
  'agent-changes': '.agent-versions',
  'compare-differences': '.compare-turns li',
  'dialog-stop': 'dialog',
  'dialog-kill': 'dialog',
  'dialog-budget': 'dialog',
  'dialog-resume': 'dialog',
  'dialog-fork': 'dialog',
  'dialog-deny': '.question',
  'dialog-arguments': '.question',
  'dialog-arguments-as-json': '.question',
};

function partOf(name: string): Part {
  if (WHOLE.includes(name)) return { only: 'body', without: 'none' };
  return { only: PARTS[name] ?? 'main, dialog', without: SAME };
}

async function expectAccepted(name: string, { lines, faults }: Seen): Promise<void> {
  expect(faults).toEqual([]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(ACCEPTED, `${name}.txt`));
}

test.each(Object.entries(SCENES).filter(([name]) => !LEFT_OUT.includes(name)))(
  'the page shows what was accepted: %s',
  async (name, scene) => expectAccepted(name, await lookAt(scene, partOf(name))),
);

test.each(Object.entries(ACTS))('a person acts, and sees what was accepted: %s', async (name, each) => {
  const { at = each.scene.at, answers, width, act, look } = each;
  const scene = { ...each.scene, at, answers: { ...each.scene.answers, ...answers } };
  await expectAccepted(
    `act-${name}`,
    await lookAt(scene, { only: look, without: SAME_IN_ACTS, ...(width !== undefined && { width }) }, act),
  );
});
