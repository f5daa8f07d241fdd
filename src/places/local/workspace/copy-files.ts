import { WorkspaceError, type Workspace } from '../../../core/agent-schema/workspace.ts';

/** The effects of copying files from one workspace to another, by path, sorted. */
export interface Copied {
  written: string[];
  /** The same on both sides already. */
  same: string[];
  /** Other content is there, and was left alone. */
  differing: string[];
}

/** As many requests as a bucket answers at once without throttling. */
const AT_ONCE = 16;

/**
 * Copies files. An existing file with other content is overwritten only if that is wanted; otherwise nothing at all is
 * written if any file differs.
 */
export async function copyFiles(
  paths: readonly string[],
  from: Workspace,
  to: Workspace,
  overwrites: boolean,
): Promise<Copied> {
  const compared = await inTurn(paths, async (path) => {
    const bytes = Buffer.from((await from.read(path)).bytes);
    const there = await readIfThere(to, path);
    return { path, version: there?.version, isSame: there !== undefined && bytes.equals(there.bytes) };
  });
  const same = compared.filter(({ isSame }) => isSame).map(({ path }) => path);
  const differing = compared.filter(({ isSame, version }) => !isSame && version !== undefined);
  if (differing.length > 0 && !overwrites) {
    return { written: [], same, differing: differing.map(({ path }) => path) };
  }
  const changed = compared.filter(({ isSame }) => !isSame);
  await inTurn(changed, async ({ path, version }) => {
    // Read again: all files together need not fit into memory.
    await to.write(path, (await from.read(path)).bytes, version);
  });
  return { written: changed.map(({ path }) => path), same, differing: [] };
}

async function readIfThere(workspace: Workspace, path: string) {
  try {
    const content = await workspace.read(path);
    return { bytes: content.bytes, version: content.version() };
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.fault === 'missing') return undefined;
    throw thrown;
  }
}

/** Some at once, the results in order. */
async function inTurn<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const one = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return results;
}
