import { readdir } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import { readSmallFile } from '../../../places/local/workspace/small-file.ts';
import { shellWord } from '../../../shell-word.ts';

/** How files begin that other tools take for agents: other texts and schemas may lie beside agents. */
const LIKE_AGENTS = new Map([
  ['.md', /^---\r?\n/],
  ['.json', /"(?:model|name)"\s*:\s*"/],
]);

/** What to do with files that were meant as agents, in folders in which only TOML files are. */
export async function notAgents(folders: readonly string[], cwd: string): Promise<string[]> {
  const hints: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder).catch((): string[] => []);
    for (const entry of entries.sort()) {
      const { name, ext } = parse(entry);
      const like = LIKE_AGENTS.get(ext);
      if (like === undefined || entries.includes(`${name}.toml`)) continue;
      const bytes = await readSmallFile(join(folder, entry), entry).catch(() => undefined);
      if (!like.test(new TextDecoder().decode(bytes))) continue;
      const path = relative(cwd, join(folder, entry));
      const toDo = ext === '.md' ? `cadre import ${shellWord(path)}` : `write ${name}.toml`;
      hints.push(`${path}: no agent, since agents are TOML files: ${toDo}`);
    }
  }
  return hints;
}
