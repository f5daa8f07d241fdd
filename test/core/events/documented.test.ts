import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';

/** Every type of event: the compiler asks for one that is missing, and refuses any other. */
const TYPES: Record<RunEvent['type'], true> = {
  run_opened: true,
  skill_loaded: true,
  context_discovered: true,
  turn_started: true,
  turn_waiting: true,
  message_delta: true,
  turn_finished: true,
  call_started: true,
  call_output: true,
  call_finished: true,
  question_asked: true,
  question_answered: true,
  warning: true,
  run_closed: true,
};

it.each(['The list', 'AG-UI'])(
  'the section "%s" of docs/events.md has every event, and no other',
  async (title) => {
    const page = await readFile(new URL('../../../docs/events.md', import.meta.url), 'utf8');
    const [section = ''] = page.split(/^## /m).filter((text) => text.startsWith(`${title}\n`));
    const cells = [...section.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = '']) => cell);
    const documented = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
    expect(new Set(documented)).toEqual(new Set(Object.keys(TYPES)));
  },
);
