import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { SCENES } from '../pictures/scenes.ts';
import { openPage, type Part } from './open-page.ts';
import '../../../../src/doors/console/agents/agent-view.tsx';
import '../../../../src/doors/console/agents/agents-view.tsx';
import '../../../../src/doors/console/compare/compare-view.tsx';
import '../../../../src/doors/console/evals/evals-view.tsx';
import '../../../../src/doors/console/servers/servers-view.tsx';
import '../../../../src/doors/console/shared/markdown/markdown-view.tsx';
import '../../../../src/doors/console/tree/run-view.tsx';

const ACCEPTED = join(import.meta.dirname, 'accepted');

afterEach(() => void vi.useRealTimers());

/** Too long to be read here. */
const LEFT_OUT = ['agents-100', 'run-of-1000-agents', 'run-long-texts', 'run-tree', 'run-at-a-call'];
/** These are shown whole, and all others without what is the same in each. */
const WHOLE = ['home-busy', 'runs-many', 'run-succeeded', 'agent-whole', 'frame-signed-in'];
const SAME = '.span-patterns, .span-legend, .tools, .keys, .setup, .send, .runs-filters';
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

test.each(Object.entries(SCENES).filter(([name]) => !LEFT_OUT.includes(name)))('%s', async (name, scene) => {
  const page = await openPage(scene, partOf(name));
  expect(page.faults).toEqual([]);
  await expect(`${page.outline().join('\n')}\n`).toMatchFileSnapshot(join(ACCEPTED, `${name}.txt`));
});
