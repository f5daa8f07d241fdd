import { killTool } from './agents/kill.ts';
import { listAgentsTool } from './agents/list-agents.ts';
import { MAIL_TOOLS } from './agents/mail.ts';
import { fetchUrlTool } from './fetch-url.ts';
import { FILE_TOOLS } from './files/file-tools.ts';
import { gitDiffTool } from './git/git-diff.ts';
import { gitLogTool } from './git/git-log.ts';
import { MEMORY_TOOLS } from './memory.ts';
import { runCommandTool } from './run-command.ts';
import { readSkillFileTool } from './skills/read-skill-file.ts';
import { useSkillTool } from './skills/use-skill.ts';
import { webSearchTool } from './web-search.ts';
import type { Tool } from '../core/tool-contracts/tool.ts';

const TOOLS: readonly Tool[] = [
  ...FILE_TOOLS,
  ...MAIL_TOOLS,
  ...MEMORY_TOOLS,
  fetchUrlTool,
  gitDiffTool,
  gitLogTool,
  killTool,
  listAgentsTool,
  readSkillFileTool,
  runCommandTool,
  useSkillTool,
  webSearchTool,
];

/** Every tool of ours that a function carries out, by name. */
export const BUILT_IN_TOOLS: ReadonlyMap<string, Tool> = new Map(
  TOOLS.map((tool) => [tool.definition.name, tool]),
);
