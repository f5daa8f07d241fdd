import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { isTrustedFolder, trustNow } from '../../../authoring/trust/trusted-folders.ts';
import { ConfigError } from '../../../errors.ts';
import { readSmallFile } from '../../../places/local/workspace/small-file.ts';
import { shellWord } from '../../../shell-word.ts';
import type { Io } from '../terminal/io.ts';
import { packageFolder } from '../../../package-folder.ts';
import { ownSpecification } from './own-package.ts';
import {
  cdkJson,
  missingFrom,
  packageJson,
  TEMPLATES,
  type ProjectTemplate,
  type TemplateName,
} from './project-templates.ts';
import { writeNewFile } from './write-new-file.ts';

/**
 * `cadre init`: begins a project with agents, tools, tests and a CDK app. Existing files stay as they are. A folder
 * that was empty is trusted.
 * @param folder relative to where the command is called; made if it is missing
 */
export async function initProject(
  folder: string,
  { template: name }: { template: TemplateName },
  io: Io,
): Promise<void> {
  const template = TEMPLATES[name];
  const root = resolve(io.cwd, folder);
  const isNew = await isEmpty(root);
  const kept: string[] = [];
  for (const [path, text] of await projectFiles(root, template)) {
    const shown = relative(io.cwd, join(root, path));
    if (await writeNewFile(join(root, path), text)) io.stdout(`${shown}\n`);
    else kept.push(shown);
  }
  for (const path of kept) io.stderr(`Warning: ${path} is there already and stays as it is\n`);
  if (isNew) trustOwn(root, io);
  const there = relative(io.cwd, root);
  const steps = [
    ...(there === '' ? [] : [`cd ${shellWord(there)}`]),
    'npm install',
    'npm test',
    ...(isTrustedFolder(root, io.env) ? [] : ['npx cadre trust']),
    template.try,
  ];
  const own = await readSmallFile(join(root, 'package.json'), 'failed to read package.json');
  const missing = missingFrom(new TextDecoder().decode(own), ownSpecification(root), template);
  if (missing !== undefined)
    io.stderr(`\nYour package.json lacks this, which the steps below need:\n${missing}`);
  io.stderr(`\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
}

/** Everything in it is then Cadre's own. A folder with other files may have come with foreign agents or modules. */
function trustOwn(root: string, { env, stderr }: Io): void {
  try {
    trustNow(root, env);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    stderr(`Warning: ${thrown.message}\n`);
  }
}

/** Whether nothing is in a folder but a repository without files. */
async function isEmpty(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch(() => []);
  return entries.every((entry) => entry === '.git');
}

/** The text of each file by its path. */
async function projectFiles(root: string, template: ProjectTemplate): Promise<Map<string, string>> {
  const { agent, about = '' } = template;
  const values = { name: nameOf(root), agent, about, try: template.try };
  const files = new Map([
    ['package.json', packageJson(values.name, ownSpecification(root), template)],
    ['cdk.json', cdkJson(template)],
  ]);
  for (const from of ['templates/base', template.folder]) {
    for (const [path, text] of await filesIn(join(packageFolder(), from))) {
      // npm leaves .gitignore out of packages.
      files.set(/^\w+ignore$/.test(path) ? `.${path}` : path, fill(fromProject(path, text), values));
    }
  }
  for (const agent of template.agents) {
    const text = await readFile(join(packageFolder(), 'agents', `${agent}.toml`), 'utf8');
    files.set(`agents/${agent}.toml`, text.replace('../schemas/', '../node_modules/cadre/schemas/'));
  }
  return files;
}

/** The text of a file of an example. Paths out of the example lead to the installed package instead. */
function fromProject(path: string, text: string): string {
  const toProject = '../'.repeat(path.split(sep).length - 1);
  return text.replaceAll(`${toProject}../../`, `${toProject}node_modules/cadre/`);
}

async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = paths
    .sort()
    .map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

/** Replaces `{{name}}` and the like; others are left alone. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (all, key: string) => values[key] ?? all);
}

/** A name that npm accepts: the folder's, as far as possible. */
function nameOf(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return /^[a-z]/.test(name) ? name : `agents${name === '' ? '' : `-${name}`}`;
}
