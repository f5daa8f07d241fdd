import { expect, test } from 'vitest';
import { recordedMemories, recordedServers } from '../../../src/authoring/replay/recorded-context.ts';
import { seconds } from '../../../src/core/records/times.ts';
import type { ToolServer } from '../../../src/core/records/tool-server.ts';
import { anOpened } from '../../fixtures/records.ts';

test('a replay is shown the memory that a run was shown, and keeps none', async () => {
  const entry = (at: string) => ({ at, task: 't', result: 'r' });
  const [one, two] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const text = [one, two].map((at) => `## ${at}\n**Task:** t\n**Result:** r\n\n`).join('');
  const system = `You are top.\n\n---\n\n## Memory\n\n${text}`;
  const memories = recordedMemories(anOpened({ memory: { name: 'top', maxEntries: 0 }, system }));
  const last = async (count: number) => memories.of('ada').entries('top', count);
  expect([await last(0), await last(1), await last(3)]).toEqual([
    [entry(one), entry(two)],
    [entry(two)],
    [entry(one), entry(two)],
  ]);
  expect([
    await memories.kept('top', 0),
    await memories.append('top', 'run', entry(one)),
    await memories.forget('top', 'id'),
    await memories.add('top', [entry(one)]),
    await memories.trim('top', 1),
    await recordedMemories(undefined).entries('top', 0),
  ]).toEqual([[], '', false, 0, { removed: 0, kept: 2 }, []]);
});

test('servers have the tools that the run was offered, as far as they are wanted now', async () => {
  const tool = (name: string) => ({ name, description: 'd', parameters: { type: 'object' as const } });
  const target = {
    kind: 'mcp',
    server: 'docs',
    seconds: seconds(9),
    isRepeatable: false,
    writes: true,
  } as const;
  const weather = {
    kind: 'function',
    source: { function: 'f' },
    seconds: seconds(9),
    isRepeatable: true,
    writes: false,
  } as const;
  const mirrored = { type: 'object' as const };
  const { list } = recordedServers(
    anOpened({
      tools: ['mcp__docs__find', 'mcp__docs__drop', 'mcp__wiki__find', 'weather'].map(tool),
      targets: {
        mcp__docs__find: { ...target, tool: 'find', mirrored },
        mcp__docs__drop: { ...target, tool: 'drop' },
        mcp__docs__gone: { ...target, tool: 'gone' },
        mcp__wiki__find: { ...target, server: 'wiki', tool: 'find' },
        weather,
      },
    }),
  );
  const server = (name: string, disallowedTools: string[] = []): ToolServer => ({
    name,
    reach: { kind: 'url', url: 'https://a.example', headers: {} },
    tools: [],
    disallowedTools,
    readOnly: [],
    timeout: seconds(9),
    required: true,
  });
  const find = { definition: tool('mcp__docs__find'), name: 'find', mirrored };
  const drop = { definition: tool('mcp__docs__drop'), name: 'drop' };
  expect(await list(server('docs'))).toEqual({ tools: [find, drop], notes: [], until: 0 });
  expect(await list(server('docs', ['find']))).toEqual({ tools: [drop], notes: [], until: 0 });
  await expect(list(server('other'))).rejects.toThrow(
    'server "other" was not used when the run was recorded',
  );
});
