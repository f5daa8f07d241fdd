import { dollars, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { ChatOptions } from '../commands/chat.ts';
import { AGENTS_DIR, ENVIRONMENT, trustHere } from '../shared-options.ts';

export function defineChat({ command, io }: Cli): void {
  command('chat <agent> [run]', 'Talk to an agent, or go on with what was said before')
    .option('--model <provider/name>', "use this model instead of the agent's; sub-agents keep theirs")
    .option('--max-tokens <count>', 'the most tokens for the whole tree, or to add to them', wholeNumber)
    .option('--max-usd <dollars>', 'the most dollars for the whole tree, or to add to them', dollars)
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .addOption(trustHere())
    .action(async (agent: string, run: string | undefined, options: ChatOptions) => {
      const { chat } = await import('../commands/chat.ts');
      process.exitCode = await chat(agent, run, options, io);
    });
}
