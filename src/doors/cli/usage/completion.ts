import { Argument } from 'commander';
import type { Cli } from '../cli.ts';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from '../commands/completion-script.ts';

export function defineCompletion({ program, command, io }: Cli): void {
  command('completion', 'Print a script that has a shell complete words of this command')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => io.stdout(COMPLETION_SCRIPTS[shell]));
  // The command that those scripts call.
  program.command('complete [words...]', { hidden: true }).action(async (words: string[]) => {
    await (await import('../commands/complete.ts')).complete(words, program, io);
  });
}
