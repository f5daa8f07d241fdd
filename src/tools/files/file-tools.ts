import type { Tool } from '../../core/tool-contracts/tool.ts';
import { deleteFileTool } from './delete-file.ts';
import { editFileTool } from './edit-file.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readFileTool } from './read-file.ts';
import { writeFileTool } from './write-file.ts';

/** The tools that act on files of the workspace. */
export const FILE_TOOLS: readonly Tool[] = [
  deleteFileTool,
  editFileTool,
  globTool,
  grepTool,
  listDirectoryTool,
  readFileTool,
  writeFileTool,
];
