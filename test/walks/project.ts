import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { startCommand } from '../fixtures/command.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { typed } from '../fixtures/typed.ts';

const ROOT = join(import.meta.dirname, '../..');

const Context = v.object({ context: v.record(v.string(), v.unknown()) });

/** The end of a command, with its code and what it printed. */
type Ended = Awaited<ReturnType<ReturnType<typeof startCommand>['ended']>>;

/** A project that a person has begun with `cadre init`, with files of theirs, and the command as it is built. */
export interface Project {
  folder: string;
  /** Types a command there, without a terminal, and waits for its end. */
  cadre(...args: string[]): Promise<Ended>;
  /** Has Node.js carry out a program of the project, in TypeScript or not. */
  node(file: string, env?: Record<string, string>): Promise<Ended>;
  /** Writes a file, or writes over it. */
  write(path: string, content: string): Promise<void>;
}

/** @param files by path, over those of the template */
export async function beginProject(
  files: Record<string, string> = {},
  name = 'shop',
  template = 'minimal',
): Promise<Project> {
  const parent = await tempFolder();
  const { code, err } = await typed(['init', name, '--template', template], parent);
  if (code !== 0) throw new Error(err);
  const folder = join(parent, name);
  // In place of `npm install`: this package as it is built, and others of those that the template asks for.
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/cadre'));
  for (const each of ['aws-cdk-lib', 'constructs', 'esbuild', 'tsx', 'vitest'])
    await symlink(join(ROOT, 'node_modules', each), join(folder, 'node_modules', each));
  const project: Project = {
    folder,
    cadre: async (...args) => startCommand(args, folder).ended(),
    async node(file, env = {}) {
      const child = spawn(process.execPath, ['--import', 'tsx', file], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const printed = Promise.all([text(child.stdout), text(child.stderr)]);
      await once(child, 'close');
      const [out, err] = await printed;
      return { code: child.exitCode, out, err };
    },
    async write(path, content) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
  };
  for (const [path, content] of Object.entries(files)) await project.write(path, content);
  return project;
}

/** Synthesises the app of the project, as `cdk synth` has it done. @param change of cdk.json's context */
export async function synth({ folder, node }: Project, change: object = {}, env = 'dev') {
  const { context } = v.parse(Context, JSON.parse(await readFile(join(folder, 'cdk.json'), 'utf8')));
  return node('infra/app.ts', {
    CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...change, env }),
    CDK_OUTDIR: join(folder, 'cdk.out'),
    CDK_VALIDATION: 'false',
  });
}
