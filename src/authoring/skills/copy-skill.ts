import { mkdir } from 'node:fs/promises';
import { isForeign } from '../../tools/skills/skill-tool.ts';
import { copyFiles, type Copied } from '../../places/local/workspace/copy-files.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';

/**
 * Copies the folder of a skill with what an agent could read of it: no link out of it, and no hidden file.
 * @param overwrites whether files with other content are; otherwise nothing is copied where there are any
 */
export async function copySkill(from: string, to: string, overwrites = true): Promise<Copied> {
  const source = openFolderWorkspace(from);
  const paths: string[] = [];
  for await (const { path } of source.list((folder, isLink) => !isLink && !isForeign(folder))) {
    if (!isForeign(path)) paths.push(path);
  }
  await mkdir(to, { recursive: true });
  return copyFiles(paths, source, openFolderWorkspace(to), overwrites);
}
