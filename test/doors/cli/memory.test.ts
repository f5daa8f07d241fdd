import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportMemory, importMemory, showMemory } from '../../../src/doors/cli/commands/memory.ts';
import { ConfigError } from '../../../src/errors.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const agent = (settings: string) => `name = "x"\nmodel = "openai/gpt-5.1"\n[memory]\n${settings}\n`;
const entry = (hour: number) =>
  `## 2026-01-31T${hour}:00:00Z\n**Task:** task ${hour}\n**Result:** result\n\nof ${hour}\n\n`;

async function folderWith(settings = 'enabled = true\nlast_n = 2'): Promise<string> {
  return tempFolder({ 'agents/x.toml': agent(settings) });
}

async function importInto(cwd: string, stdin: string) {
  const io = recordedIo(cwd, { stdin });
  await importMemory('x', {}, io);
  return io;
}

async function exported(cwd: string): Promise<string> {
  const io = recordedIo(cwd);
  await exportMemory('x', {}, io);
  return io.out;
}

describe('memory', () => {
  test('that is exported and imported is the same, and is added once', async () => {
    const cwd = await folderWith();
    const text = entry(10) + entry(11) + entry(12);
    expect((await importInto(cwd, text)).out).toBe('Imported: 3 added, 0 existed already.\n');
    expect(await exported(cwd)).toBe(text);
    const more = await importInto(cwd, entry(12) + entry(13));
    expect([more.out, more.err]).toEqual(['Imported: 1 added, 1 existed already.\n', '']);
    // What there is twice is two entries.
    const twice = await importInto(cwd, entry(13) + entry(13));
    expect(twice.out).toBe('Imported: 1 added, 1 existed already.\n');
    const other = await folderWith();
    await importInto(other, await exported(cwd));
    expect(await exported(other)).toBe(text + entry(13) + entry(13));
  });

  test('is imported from a file that an editor of Windows has written', async () => {
    const [cwd, other] = [await folderWith(), await folderWith()];
    const text = entry(10) + entry(11).replace('of 11', 'of\r\n11');
    await importInto(cwd, (entry(10) + entry(11)).replaceAll('\n', '\r\n'));
    await importInto(other, text);
    expect([await exported(cwd), await exported(other)]).toEqual([entry(10) + entry(11), text]);
  });

  test('is shown as the agent will be shown it', async () => {
    const cwd = await folderWith();
    await importInto(cwd, entry(10) + entry(11) + entry(12));
    const io = recordedIo(cwd);
    await showMemory('x', {}, io);
    expect([io.out, io.err]).toEqual([
      entry(11) + entry(12),
      'the last 2 of 3 entries; see all with: cadre memory export x\n',
    ]);
  });

  test('is read without making anything', async () => {
    const cwd = await folderWith('enabled = false');
    const io = recordedIo(cwd);
    await showMemory('x', {}, io);
    const warning = 'Warning: memory is not enabled for "x": its runs neither read nor write it\n';
    expect([io.out, io.err]).toEqual(['', `${warning}agent "x" has no memory entries yet\n`]);
    await exportMemory('x', {}, io);
    expect(existsSync(`${cwd}/.cadre`)).toBe(false);
  });

  test('is not imported in part, and not from something else', async () => {
    const cwd = await folderWith();
    await expect(importInto(cwd, `${entry(10)}## 2026-01-31T11:00:00Z\nTask: x\n`)).rejects.toThrow(
      new ConfigError('failed to import memory for "x": line 8: expected "**Task:** …", found "Task: x"'),
    );
    await expect(importInto(cwd, ' \n')).rejects.toThrow(
      new ConfigError('nothing to import; pass an exported memory: cadre memory import x < memory.md'),
    );
    expect(await exported(cwd)).toBe('');
    await expect(showMemory('y', {}, recordedIo(cwd))).rejects.toThrow(
      new ConfigError('agent config not found: y'),
    );
  });
});
