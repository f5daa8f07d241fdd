import { InvalidArgumentError } from 'commander';
import { FORMAT_NAMES, type FormatName } from '../../../authoring/import/draft.ts';
import type { Cli } from '../cli.ts';
import type { ImportCommandOptions } from '../commands/import.ts';

export function defineImport({ command, io }: Cli): void {
  command('import <path>', 'Turn agents of other tools into agents of Cadre')
    .option('--from <tool>', `look for agents of one tool only: ${FORMAT_NAMES.join(', ')}`, formatName)
    .option('--model <model>', 'the model of agents that name none, such as anthropic/claude-sonnet-5-5')
    .option('--agents-dir <folder>', 'write them into this folder instead of ./agents')
    .option('--force', 'overwrite agents and skills that are there already')
    .option('--dry-run', 'print what would be written')
    .action(async (path: string, options: ImportCommandOptions) => {
      const { importFrom } = await import('../commands/import.ts');
      process.exitCode = await importFrom(path, options, io);
    });
}

function formatName(text: string): FormatName {
  const name = FORMAT_NAMES.find((each) => each === text);
  if (name === undefined) throw new InvalidArgumentError(`It must be one of ${FORMAT_NAMES.join(', ')}`);
  return name;
}
