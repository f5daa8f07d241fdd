import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import type { OpenSkill, ToolContext } from '../../core/tool-contracts/tool.ts';
import { fileTool } from '../files/file-tool.ts';
import { LINES, showLines } from '../files/read-file.ts';
import { pathArgument } from '../typed-arguments.ts';
import { isForeign, NAME, nameArgument, skillOf } from './skill-tool.ts';

/** `read_skill_file`: a file in the folder of a skill, as `read_file` shows those of the workdir. */
export const readSkillFileTool = {
  ...fileTool({
    name: 'read_skill_file',
    description:
      'Read a text file of a skill. Returns its lines as "N: text", as many as read_file does; a note at the end says ' +
      'how to continue.',
    parameters: {
      name: NAME,
      path: { type: 'string', description: "Path of the file, relative to the skill's folder" },
      ...LINES,
    },
    required: ['name', 'path'],
    seconds: 60,
    async run(args, context) {
      const { files } = await skillOf(args, context);
      const path = await realPathIn(files, pathArgument(args));
      if (isForeign(path) || !(await mayShow(path, files, context))) {
        throw new RefusedCall(`"${path}" is no file that may be read`);
      }
      return { text: (await showLines(path, args, files, context.signal)).text };
    },
  }),
  subject: (args: Parameters<typeof nameArgument>[0]) => `${nameArgument(args)}/${pathArgument(args)}`,
};

/** @throws {RefusedCall} for a path out of the skill, which has no workdir */
async function realPathIn(files: OpenSkill['files'], path: string): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError) || thrown.fault !== 'outside') throw thrown;
    throw new RefusedCall(`path "${path}" is outside the skill`);
  }
}

/** What rules keep from being read in the workdir is not read as part of a skill that lies there either. */
async function mayShow(
  path: string,
  files: OpenSkill['files'],
  { workspace, mayShow: may }: ToolContext,
): Promise<boolean> {
  try {
    return may(await workspace.realPath(await files.absolutePath(path)));
  } catch (thrown) {
    if (thrown instanceof WorkspaceError) return true;
    throw thrown;
  }
}
