import { dollars, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { SendCommandOptions } from '../commands/send.ts';
import { AGENTS_DIR, ENVIRONMENT, trustHere } from '../shared-options.ts';

export function defineSend({ command, io }: Cli): void {
  command('send <run> [text...]', 'Write to the agent of a run, which goes on with it if it has ended')
    .option('--attach <file...>', 'images, PDFs and texts that go with the message')
    .option('--max-tokens <count>', 'tokens to add to the budget of the whole tree', wholeNumber)
    .option('--max-usd <dollars>', 'dollars to add to the budget of the whole tree', dollars)
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .addOption(trustHere())
    .option('-v, --verbose', 'report on stderr what happens')
    .option('--json', 'print one line of JSON instead of the answer')
    .action(async (run: string, text: string[], options: SendCommandOptions) => {
      const { send } = await import('../commands/send.ts');
      process.exitCode = await send(run, text, options, io);
    });
}
