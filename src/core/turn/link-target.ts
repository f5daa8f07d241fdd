import { posix } from 'node:path';
import { WorkspaceError, type Workspace } from '../agent-schema/workspace.ts';
import type { ToolCall } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { loadTools } from '../tool-contracts/toolbox.ts';

// A path may lead elsewhere than it reads, through links. A person who approves a call is told where, and the call is
// made there or not at all.

/** Where files are that have links. */
export interface LinkPorts {
  tools: LoadOwnTools;
  /** The files that tools of a conversation act on. */
  workspaceOf(opened: Opened): Pick<Workspace, 'realPath'>;
}

/**
 * Where the path leads that a call is about, without links.
 * @param asked the call, with its subject
 * @returns undefined where it is about none, or the path leads nowhere
 */
export async function targetOf(
  { call, subject }: { call: ToolCall; subject: string },
  opened: Opened,
  { tools, workspaceOf }: LinkPorts,
): Promise<string | undefined> {
  const tool = (await loadTools(opened, tools, [call.name])).named(call.name);
  if (tool?.subjectIs !== 'path') return undefined;
  try {
    return await workspaceOf(opened).realPath(subject);
  } catch (thrown) {
    if (thrown instanceof WorkspaceError) return undefined;
    throw thrown;
  }
}

/** Whether a path leads elsewhere than it reads. @param real from the workspace, without links */
export function isElsewhere(written: string, real: string): boolean {
  if (posix.isAbsolute(written)) return !`${posix.normalize(written)}/`.endsWith(`/${real}/`);
  return posix.normalize(`${written}/`) !== posix.normalize(`${real}/`);
}
