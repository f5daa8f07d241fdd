import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { AGENT_KEYS } from '../../../src/authoring/loading/agent-keys.ts';
import { agentTemplate } from '../../../src/doors/cli/commands/agent-template.ts';
import { dottedKeys } from '../../../src/known-keys.ts';

/** Keys of tables that have no table in them, as in `memory.last_n`. */
const all = dottedKeys(AGENT_KEYS);
const known = all.filter((key) => !all.some((other) => other.startsWith(`${key}.`))).sort();

it('the table of keys in docs/agents.md has every key of the schema, and no other', async () => {
  const page = await readFile(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
  const documented: string[] = [];
  let prefix = '';
  for (const [, cell = ''] of page.matchAll(/^\| ([^|]*)\|/gm)) {
    const [, table] = /^\*\*`\[{1,2}([\w.]+)\]{1,2}`\*\*/.exec(cell) ?? [];
    if (table === undefined) {
      documented.push(...[...cell.matchAll(/`(\w+)`/g)].map(([, key]) => `${prefix}${key}`));
    } else {
      prefix = `${table}.`;
    }
  }
  expect(documented.sort()).toEqual(known);
});

it('the template of an agent shows every key of the schema where it belongs', () => {
  const [top = '', ...tables] = agentTemplate('x').split(/^# (?=\[{1,2}[\w.]+\]{1,2}$)/m);
  const sections = new Map<string | undefined, string>();
  for (const text of tables) {
    const [, table] = /^\[{1,2}([\w.]+)\]/.exec(text) ?? [];
    sections.set(table, (sections.get(table) ?? '') + text);
  }
  const missing = known.filter((dotted) => {
    const [key = '', ...above] = dotted.split('.').reverse();
    const section = above.length === 0 ? top : (sections.get(above.reverse().join('.')) ?? '');
    return !new RegExp(`\\b${key}\\b`).test(section);
  });
  expect(missing).toEqual([]);
});
