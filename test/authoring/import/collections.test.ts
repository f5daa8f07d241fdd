import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { importFrom } from '../../../src/doors/cli/commands/import.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

// Agents in the shapes that public collections of five formats have, most of them with one thing that is hard to read.
// The table says what each becomes, and what the user is told.

const FOLDER = join(import.meta.dirname, '../../fixtures/import/collections');

/** What a collection becomes. */
interface Becomes {
  /** By the names of their files. */
  agents: Record<string, unknown>;
  warnings: string[];
}

const TABLE: Record<string, Becomes> = JSON.parse(readFileSync(join(FOLDER, 'becomes.json'), 'utf8'));

/** The files of a collection: each follows its path in a line that begins with `>> `. */
function filesOf(format: string): Record<string, string> {
  const text = readFileSync(join(FOLDER, `${format}.txt`), 'utf8');
  const parts = text.split(/^>> /m).slice(1);
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
  );
}

test.each(['axe', 'claude', 'copilot', 'gemini', 'opencode'])(
  'each agent of a collection of %s becomes what the table says',
  async (format) => {
    const io = recordedIo(await tempFolder(filesOf(format)));
    expect(await importFrom('.', { agentsDir: 'out/agents' }, io)).toBe(EXIT.success);
    const folder = join(io.cwd, 'out/agents');
    const agents = Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).map(async (name) => [
          name,
          parse(await readFile(join(folder, name), 'utf8')),
        ]),
      ),
    );
    expect({ agents, warnings: io.err.trimEnd().split('\n') }).toEqual(TABLE[format]);
  },
);
