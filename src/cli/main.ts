import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { messageOf } from '../errors.ts';
import { EXIT, exitCodeOfError } from './exit-code.ts';
import { processIo } from './process-io.ts';

/**
 * The `cadre` command: what it takes, and which function does it. Every command's code is loaded when it is called,
 * so that none waits for what another needs.
 */
const io = processIo();

const program = new Command('cadre')
  .description('Agents that delegate to agents, as AWS Step Functions executions')
  .exitOverride()
  .showHelpAfterError('(see: cadre --help)')
  .configureOutput({ writeOut: io.stdout, writeErr: io.stderr });

/** Hands a command's options and arguments to the function that does it; what that returns is the exit code. */
function command(definition: string, description: string): Command {
  return program.command(definition).description(description);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('it must be a whole number above 0');
  return value;
}

const AGENTS_DIR = ['--agents-dir <folder>', 'read agents from this folder only'] as const;

command('run <agent>', 'Run an agent and print its answer')
  .option('-p, --prompt <text>', 'what the agent is asked; without it stdin is the prompt')
  .option('--skill <path>', "use this skill in place of the agent's")
  .option('--workdir <folder>', 'where the agent finds its files')
  .option('--model <provider/name>', "use this model in place of the agent's; sub-agents keep theirs")
  .option('--timeout <seconds>', "seconds for the whole run (default: the agent's, else 120)", wholeNumber)
  .option(...AGENTS_DIR)
  .option('--dry-run', 'show what would be sent, and send nothing')
  .option('-v, --verbose', 'tell on stderr what happens')
  .option('--json', 'print one line of JSON in place of the answer')
  .action(async (agent: string, options) => {
    const { runAgent } = await import('./run.ts');
    process.exitCode = await runAgent(agent, options, io);
  });

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    process.exitCode = thrown.exitCode === 0 ? EXIT.success : EXIT.configuration;
  } else {
    io.stderr(`Error: ${messageOf(thrown)}\n`);
    process.exitCode = exitCodeOfError(thrown);
  }
}
