import type { Agent } from '../../core/agent-schema/agent.ts';
import { TOOL_GROUPS, toolsNamed } from '../../core/agent-schema/tool-names.ts';

/**
 * What the author of an agent should know where the API takes tokens, so that each person has a memory and files of
 * their own unless the agent's file says otherwise. An agent whose file says which gives no reason to warn.
 */
export function ownerWarnings({ name, files, memory, tools, workspace }: Agent): string[] {
  const warnings: string[] = [];
  if ((memory.enabled || memory.search) && memory.owner === undefined) {
    warnings.push(
      `agent "${name}": each person whose token starts a run has a memory of their own; entries of earlier releases stay the account's and are shown to no person, until cadre memory assign moves them; write owner = "person" or "agent" under [memory] to say which you mean`,
    );
  }
  const hasFiles = files.length > 0 || toolsNamed(tools).some((tool) => FILE_TOOLS.has(tool));
  if (hasFiles && workspace.owner === undefined) {
    warnings.push(
      `agent "${name}": each person whose token starts a run has files of their own, and does not see those in workspace/ of the bucket; write owner = "agent" under [workspace] to share these, or "person"`,
    );
  }
  return warnings;
}

const FILE_TOOLS: ReadonlySet<string> = new Set(TOOL_GROUPS.files);
