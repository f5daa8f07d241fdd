import { posix } from 'node:path';
import type { Workspace } from '../agent-schema/workspace.ts';
import type { CallKey } from '../records/call.ts';
import type { ToolCall } from '../records/message.ts';
import type { RunStore } from '../records/ports.ts';
import { subjectOf } from '../tool-contracts/permissions.ts';
import type { Tool } from '../tool-contracts/tool.ts';
import { isElsewhere } from './link-target.ts';

/** The workspace of an approved call: its path leads where the person was told, or as it reads if that person changed it. */
export async function approvedWorkspace(
  { tool, call }: { tool: Tool; call: ToolCall },
  at: CallKey,
  workspace: Workspace,
  store: Pick<RunStore, 'question' | 'turn'>,
): Promise<Workspace> {
  const { text } = subjectOf(tool, call.arguments);
  if (tool.subjectIs !== 'path' || text === undefined || workspace.heldTo === undefined) return workspace;
  const [question, turn] = await Promise.all([store.question(at), store.turn(at.run, at.turn)]);
  // Nobody was asked where every call of the tool is approved.
  if (question === undefined) return workspace;
  const plan = turn?.plans[at.call - 1];
  const isAsAsked = plan?.kind === 'invoke' && plan.subject === text;
  if (isAsAsked && question.leadsTo !== undefined) return workspace.heldTo(text, question.leadsTo);
  const real = await workspace.realPath(text).catch(() => undefined);
  // Where it leads nowhere, the tool says so.
  if (real === undefined) return workspace;
  return workspace.heldTo(text, isElsewhere(text, real) ? posix.normalize(text) : real);
}
