import type { Cli } from '../cli.ts';
import type { CopyOptions, WorkspaceOptions } from '../commands/workspace.ts';
import { DEPLOYED, ISSUER, OWNER } from '../shared-options.ts';

const WORKDIR = ['--workdir <folder>', 'only this part of its workspace: the workdir of an agent'] as const;
const FORCE = ['--force', 'overwrite what is there with other content'] as const;

export function defineWorkspace({ command, io }: Cli): void {
  const workspace = command('workspace', 'Copy and move the files that deployed agents work on');
  workspace
    .command('list')
    .description('List them with their sizes in bytes')
    .requiredOption(...DEPLOYED)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...WORKDIR)
    .action(async (options: WorkspaceOptions) => {
      process.exitCode = await (await import('../commands/workspace.ts')).listWorkspace(options, io);
    });
  workspace
    .command('pull [folder]')
    .description('Copy them into a folder (default: this one)')
    .requiredOption(...DEPLOYED)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...WORKDIR)
    .option(...FORCE)
    .action(async (folder: string | undefined, options: CopyOptions) => {
      process.exitCode = await (
        await import('../commands/workspace.ts')
      ).pullWorkspace(folder ?? '.', options, io);
    });
  workspace
    .command('push [folder]')
    .description('Copy the files of a folder there (default: this one), but for those that git ignores')
    .requiredOption(...DEPLOYED)
    .option(...OWNER)
    .option(...ISSUER)
    .option(...WORKDIR)
    .option(...FORCE)
    .action(async (folder: string | undefined, options: CopyOptions) => {
      process.exitCode = await (
        await import('../commands/workspace.ts')
      ).pushWorkspace(folder ?? '.', options, io);
    });
  workspace
    .command('assign [path...]')
    .description("Move files of the account, and results of the owner's runs, to an owner")
    .requiredOption(...DEPLOYED)
    .requiredOption('--owner <owner>', 'the subject of their tokens')
    .option(...ISSUER)
    .option(...WORKDIR)
    .option(...FORCE)
    .action(async (paths: string[], options: CopyOptions & { owner: string }) => {
      process.exitCode = await (
        await import('../commands/workspace-assign.ts')
      ).assignWorkspace(paths, options, io);
    });
}
