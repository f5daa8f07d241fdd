import { type Workspace, WorkspaceError } from '../../core/agent-schema/workspace.ts';
import type { ToolContext } from '../../core/tool-contracts/tool.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';

/**
 * Writes a file for a run that knows one version of it, or that there is none. Where the very same bytes are there
 * already, all is well: the write may have been made before, by an attempt whose result was lost.
 * @throws {RefusedCall} if the file differs from the version that the run knows
 */
export async function putFile(
  path: string,
  bytes: Uint8Array,
  known: string | undefined,
  { workspace, seen }: Pick<ToolContext, 'workspace' | 'seen'>,
): Promise<void> {
  let version: string;
  try {
    version = await workspace.write(path, bytes, known);
  } catch (error) {
    if (!(error instanceof WorkspaceError) || !['exists', 'changed'].includes(error.fault)) throw error;
    const same = await versionIfSame(path, bytes, workspace);
    if (same === undefined) throw staleFile(path, known);
    version = same;
  }
  await seen.note(path, version);
}

/** @param known the version that the run has read; undefined where it has read none */
export function staleFile(path: string, known: string | undefined): RefusedCall {
  return new RefusedCall(
    known === undefined
      ? `"${path}" exists and was not read in this run: read it with read_file first`
      : `"${path}" has changed since it was read in this run: read it again with read_file`,
  );
}

async function versionIfSame(
  path: string,
  bytes: Uint8Array,
  workspace: Workspace,
): Promise<string | undefined> {
  const there = await workspace.read(path, { limit: bytes.length });
  const isSame = there.size === bytes.length && Buffer.compare(there.bytes, bytes) === 0;
  return isSame ? there.version() : undefined;
}
