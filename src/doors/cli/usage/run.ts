import { Option, type Command } from 'commander';
import { dollars, lambdaEndpointUrl, secondsToRun, tag, wholeNumber } from '../arguments.ts';
import { shellWord } from '../../../shell-word.ts';
import type { Cli } from '../cli.ts';
import type { RunCommandOptions } from '../commands/run.ts';
import { AGENTS_DIR, ENVIRONMENT, trustHere } from '../shared-options.ts';

export function defineRun({ command, io }: Cli): void {
  command('run <agent>', 'Run an agent and print its answer')
    .option('-p, --prompt <text>', 'what the agent is asked (default: stdin)')
    .option('--attach <file...>', 'images, PDFs and texts that go with the prompt')
    .option('--skill <path>', "use this skill instead of the agent's")
    .option('--workdir <folder>', 'where the agent finds its files')
    .option('--model <provider/name>', "use this model instead of the agent's; sub-agents keep theirs")
    .option('--timeout <seconds>', "seconds for the whole run (default: the agent's, else 120)", secondsToRun)
    .option('--max-tokens <count>', 'the most tokens for the run with all its sub-agents', wholeNumber)
    .option('--max-usd <dollars>', 'the most dollars for the run with all its sub-agents', dollars)
    .option('--tag <key=value>', 'what to find the run by; repeat it for several', tag)
    .option('--batch', 'ask models in batches: at half the price, and answered within a day')
    .option(...ENVIRONMENT)
    .option(...AGENTS_DIR)
    .addOption(trustHere())
    .option(
      '--lambda-endpoint <url>',
      "where Lambda's API is, for functions of [[functions]]",
      lambdaEndpointUrl,
    )
    .addOption(new Option('--dry-run', 'show what would be sent, and send nothing').conflicts('json'))
    .option('-v, --verbose', 'report on stderr what happens')
    .option('--json', 'print one line of JSON instead of the answer')
    .allowExcessArguments()
    .action(async (agent: string, options: RunCommandOptions, own: Command) => {
      const words = own.args.slice(1);
      if (words.length > 0)
        own.error(`Error: too many arguments; the prompt takes -p: ${prompted(agent, words)}`);
      const { runAgent } = await import('../commands/run.ts');
      process.exitCode = await runAgent(agent, options, io);
    });
}

/** What somebody meant who typed the prompt behind the agent. */
function prompted(agent: string, words: readonly string[]): string {
  return `cadre run ${[agent, '-p', words.join(' ')].map(shellWord).join(' ')}`;
}
