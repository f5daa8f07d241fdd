import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFrom } from '../../../src/doors/cli/commands/import.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/**
 * A case of test/fixtures/import/<format>.txt. Its title follows `== `, the files of a project `>> `, the agents that
 * come of it `<< `, and the lines on stderr `!! `. The agents are checked as by `cadre agents check`.
 */
interface Case {
  title: string;
  project: [path: string, text: string][];
  agents: [path: string, text: string][];
  warnings: string[];
}

function readCases(format: string): Case[] {
  const text = readFileSync(join(import.meta.dirname, `../../fixtures/import/${format}.txt`), 'utf8');
  return text
    .split(/^== /m)
    .slice(1)
    .map((section) => {
      const lines = section.split('\n');
      const parts = lines.filter((line) => !line.startsWith('!! ')).join('\n');
      const files = (mark: string) =>
        parts
          .split(/^(?=(?:>>|<<) )/m)
          .filter((part) => part.startsWith(mark))
          .map((part): [string, string] => {
            const end = part.indexOf('\n');
            return [part.slice(mark.length, end), part.slice(end + 1)];
          });
      const warnings = lines.filter((line) => line.startsWith('!! ')).map((line) => line.slice(3));
      return { title: lines[0] ?? '', project: files('>> '), agents: files('<< '), warnings };
    });
}

const FORMATS = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'axe'];

describe.each(FORMATS)('agents of %s', (format) => {
  it.each(readCases(format).map((each) => [each.title, each] as const))(
    'come along: %s',
    async (_, { project, agents, warnings }) => {
      const io = recordedIo(await tempFolder());
      for (const [path, text] of project) {
        await mkdir(dirname(join(io.cwd, path)), { recursive: true });
        await writeFile(join(io.cwd, path), text);
      }
      const code = await importFrom('.', { agentsDir: 'cadre/agents' }, io);
      const paths = io.out.trimEnd().split('\n');
      const written = await Promise.all(
        paths.map(async (path) => {
          const [origin = '', blank, ...rest] = (await readFile(join(io.cwd, path), 'utf8')).split('\n');
          expect([origin, blank]).toEqual([expect.stringMatching(/^# Imported from .+\.$/), '']);
          return [path, rest.join('\n')];
        }),
      );
      expect({ code, written, err: io.err.trimEnd().split('\n').filter(Boolean) }).toEqual({
        code: EXIT.success,
        written: agents,
        err: warnings,
      });
    },
  );
});
