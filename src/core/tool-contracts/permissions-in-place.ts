import { posix } from 'node:path';
import { namesTool } from '../agent-schema/permission-rule.ts';
import { WorkspaceError, type Workspace } from '../agent-schema/workspace.ts';
import {
  fits,
  isOffered,
  judge,
  READING,
  toRules,
  unaskable,
  type Judged,
  type Permissions,
  type Subject,
  type Verdict,
} from './permissions.ts';

// Where a call is carried out, rules apply to what it really reaches: the targets of links, redirects, and files that
// it meets on the way. Turns only plan calls, and do not load this.

/**
 * The reason to refuse a call that is about to be made, in words for the model; undefined to make it. A path is judged
 * by its target, too: a link that is called `notes.txt` may lead to `.env`. By then it is too late to ask a person.
 * @param isApproved whether a person has approved the call
 */
export async function refusalInPlace(
  tool: Judged,
  subject: Subject,
  permissions: Permissions | undefined,
  workspace: Pick<Workspace, 'realPath'>,
  isApproved: boolean,
): Promise<string | undefined> {
  const refusalFor = (about: Subject) => refusalIn(judge(tool, about, permissions), tool, isApproved);
  const refusal = refusalFor(subject);
  const { text } = subject;
  if (refusal !== undefined || permissions === undefined || tool.subjectIs !== 'path' || text === undefined) {
    return refusal;
  }
  try {
    return refusalFor({ text: await workspace.realPath(text) });
  } catch (thrown) {
    // Where nothing can be reached, the tool itself says so.
    if (thrown instanceof WorkspaceError) return undefined;
    throw thrown;
  }
}

/**
 * The reason not to follow a redirect to another address, in words for the model; undefined to follow it. A person's
 * approval covers the first address alone.
 */
export function refusalToFollow(
  tool: Judged,
  address: string,
  permissions: Permissions | undefined,
): string | undefined {
  const verdict = judge(tool, { text: address }, permissions);
  if (verdict === 'needs approval') return 'it needs approval, so it has to be fetched by a call of its own';
  return verdict === 'allowed' ? undefined : verdict.refusal;
}

function refusalIn(verdict: Verdict, tool: Judged, isApproved: boolean): string | undefined {
  if (typeof verdict === 'object') return verdict.refusal;
  return verdict === 'allowed' || isApproved ? undefined : unaskable(tool.definition.name);
}

/**
 * Whether a tool that shows contents of files may show this one: rules for `read_file` are about what the model gets to
 * read, whichever tool reads it.
 * @param path without links
 * @param isApproved whether a person has approved the call: of this tool, and of nothing that is read
 */
export function mayShow(
  tool: Judged,
  path: string,
  permissions: Permissions | undefined,
  isApproved: boolean,
): boolean {
  const reading = { ...tool, definition: { ...tool.definition, name: READING } };
  if (refusalIn(judge(tool, { text: path }, permissions), tool, isApproved) !== undefined) return false;
  if (permissions === undefined) return true;
  // A skill in use says which tools may be called, and nothing about what each of them reads.
  const { inUse: _inUse, ...ofAgent } = permissions;
  return !isOffered(reading, ofAgent.rules) || judge(reading, { text: path }, ofAgent) === 'allowed';
}

/**
 * Whether a rule of `allow` names a file, or a file in its folder: changing agents takes more than a pattern that
 * happens to fit.
 * @param path in the workspace, without links
 */
export function isNamed(tool: Judged, path: string, permissions: Permissions | undefined): boolean {
  if (permissions === undefined) return false;
  const folder = posix.dirname(path);
  return toRules(permissions.rules.allow).some((rule) => {
    const { pattern = '' } = rule;
    const names = pattern === path || (folder !== '.' && pattern.startsWith(`${folder}/`));
    return names && namesTool(rule, tool.definition.name) && fits(rule, tool, path, true, permissions);
  });
}
