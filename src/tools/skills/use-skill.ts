import { splitFrontMatter } from '../../core/agent-schema/skill.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { MAX_RESULT_CHARACTERS, type OpenSkill } from '../../core/tool-contracts/tool.ts';
import { fileTool } from '../files/file-tool.ts';
import { isForeign, NAME, nameArgument, SKILL_FILE, skillOf } from './skill-tool.ts';

/** Of the files of a skill that are listed. */
const MAX_FILES = 200;

/** Left for the list of files and the notes. */
const MAX_BODY = MAX_RESULT_CHARACTERS - 20_000;

/** `use_skill`: the instructions of a skill, and what else lies in its folder. */
export const useSkillTool = {
  ...fileTool({
    name: 'use_skill',
    description:
      'Load a skill: returns its instructions, and the list of its other files, which read_skill_file reads. Load it ' +
      'before you begin the work that it is for.',
    parameters: { name: NAME },
    required: ['name'],
    seconds: 60,
    async run(args, context) {
      const { name, files, folder } = await skillOf(args, context);
      const text = [
        instructionsIn(new TextDecoder().decode((await files.read(SKILL_FILE)).bytes)),
        listOf(await pathsIn(files)),
        folder === undefined ? '' : `Its folder, for run_command: ${folder}`,
      ];
      return { text: text.filter((part) => part !== '').join('\n\n'), skill: name };
    },
  }),
  subject: nameArgument,
};

/** As much of the instructions as one result holds, and how to read on. */
function instructionsIn(text: string): string {
  const { body } = splitFrontMatter(text);
  if (body.trim() === '')
    throw new RefusedCall(`the skill has no instructions: its ${SKILL_FILE} has no text`);
  if (body.length <= MAX_BODY) return body.trimEnd();
  const shown = body.slice(0, body.lastIndexOf('\n', MAX_BODY) + 1) || body.slice(0, MAX_BODY);
  const next = linesIn(text) - linesIn(body) + linesIn(shown) + 1;
  return `${shown.toWellFormed()}(it goes on: read_skill_file with path "${SKILL_FILE}" and offset ${next})`;
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

async function pathsIn(files: OpenSkill['files']): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of files.list((folder) => !isForeign(folder))) {
    if (path !== SKILL_FILE && !isForeign(path)) paths.push(path);
    if (paths.length > 10 * MAX_FILES) break;
  }
  return paths.sort();
}

function listOf(paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const left = paths.length - MAX_FILES;
  const more = left > 0 ? [`(and ${left} more)`] : [];
  return ['Its other files:', ...paths.slice(0, MAX_FILES).map((path) => `- ${path}`), ...more].join('\n');
}
