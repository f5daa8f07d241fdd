import { Command, CommanderError, Option } from 'commander';
import project from '../../package.json' with { type: 'json' };
import { AgentNotFoundError } from '../agent/agent-source.ts';
import { messageOf } from '../errors.ts';
import type { AgentsOptions } from './commands/agents.ts';
import { dollars, milliseconds, port, secondsToRun, wholeNumber } from './arguments.ts';
import type { DeleteOptions } from './commands/delete-runs.ts';
import { EXIT, exitCodeOfError } from './terminal/exit-code.ts';
import type { GcOptions } from './commands/gc.ts';
import type { LookedAtRuns } from '../pipeline/kept-runs.ts';
import type { MemoryOptions } from './commands/memory.ts';
import type { RunOptions } from './commands/run.ts';
import type { PlanOptions } from './commands/plan.ts';
import type { ResumeOptions } from './commands/resume.ts';
import type { RunsOptions } from './commands/runs.ts';
import type { ShowOptions } from './commands/show.ts';
import { processIo } from './terminal/process-io.ts';

/**
 * The `cadre` command: what it takes, and which function does it. Every command's code is loaded when it is called,
 * so that none waits for what another needs.
 */
const io = processIo();

// Which version of Node.js this needs is said in package.json; the AWS SDK tells of its own plans in seven lines.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const VERSION = `cadre ${project.version}`;

const program = new Command('cadre')
  .description('Agents that delegate to agents, as AWS Step Functions executions')
  .exitOverride()
  .showHelpAfterError('(see: cadre --help)')
  .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
  .version(VERSION, '--version', 'print the version')
  .addHelpText('beforeAll', ({ command }) => refuseUnknown(command));

/** Help that is asked for a command which there is not is no help on the others. */
function refuseUnknown(group: Command): string {
  const [word] = group.args.filter((arg) => arg !== 'help');
  if (group.commands.length === 0 || word === undefined || word.startsWith('-')) return '';
  return group.error(`error: unknown command '${word}'`);
}

/** Hands a command's options and arguments to the function that does it; what that returns is the exit code. */
function command(definition: string, description: string): Command {
  const created = program.command(definition).description(description);
  return created.showHelpAfterError(`(see: cadre ${created.name()} --help)`);
}

async function withRuns(
  { env }: { env?: string },
  use: (kept: LookedAtRuns | undefined) => Promise<number>,
): Promise<number> {
  const { withKeptRuns } = await import('../pipeline/kept-runs.ts');
  return withKeptRuns(env, io.cwd, use);
}

const ENVIRONMENT = ['--env <environment>', 'use a deployed environment instead of this folder'] as const;
/** What narrows a list, and so has no place beside what removes runs. */
const LISTING = ['agent', 'status', 'limit', 'json'];
const AGENTS_DIR = ['--agents-dir <folder>', 'read agents from this folder only'] as const;

command('run <agent>', 'Run an agent and print its answer')
  .option('-p, --prompt <text>', 'what the agent is asked (default: stdin)')
  .option('--skill <path>', "use this skill instead of the agent's")
  .option('--workdir <folder>', 'where the agent finds its files')
  .option('--model <provider/name>', "use this model instead of the agent's; sub-agents keep theirs")
  .option('--timeout <seconds>', "seconds for the whole run (default: the agent's, else 120)", secondsToRun)
  .option('--max-tokens <count>', 'the most tokens for the run with all its sub-agents', wholeNumber)
  .option('--max-usd <dollars>', 'the most dollars for the run with all its sub-agents', dollars)
  .option(...ENVIRONMENT)
  .option(...AGENTS_DIR)
  .option('--dry-run', 'show what would be sent, and send nothing')
  .option('-v, --verbose', 'report on stderr what happens')
  .option('--json', 'print one line of JSON instead of the answer')
  .action(async (agent: string, options: RunOptions) => {
    const { runAgent } = await import('./commands/run.ts');
    process.exitCode = await runAgent(agent, options, io);
  });

command('plan [agent]', 'Compute the limits and costs of one agent, or of all, before you deploy them')
  .option(...AGENTS_DIR)
  .option(
    '--concurrency <count>',
    'how many functions may run at the same time in the account (default: 1000)',
    wholeNumber,
  )
  .option('--figures', 'print a table of the costs of runs of three sizes')
  .option('--json', 'print JSON')
  .action(async (agent: string | undefined, options: PlanOptions) => {
    const { planAgents, printFigures } = await import('./commands/plan.ts');
    process.exitCode = options.figures ? printFigures(options, io) : await planAgents(agent, options, io);
  });

command('runs', 'List runs, newest first')
  .option('--limit <count>', 'the most runs to list', wholeNumber, 20)
  .option('--agent <name>', 'only runs of this agent')
  .option('--status <status>', 'only runs with this status, such as failed')
  .option(...ENVIRONMENT)
  .option('--json', 'print a JSON array')
  .addOption(new Option('--delete <run>', 'delete this run with everything below it').conflicts(LISTING))
  .addOption(
    new Option('--older-than <age>', 'delete all runs that began longer ago, such as 12h, 30d or 8w')
      .argParser(milliseconds)
      .conflicts([...LISTING, 'delete']),
  )
  .action(async (options: Omit<RunsOptions, 'json'> & DeleteOptions & { json?: boolean }) => {
    if (options.delete !== undefined || options.olderThan !== undefined) {
      const { deleteRuns } = await import('./commands/delete-runs.ts');
      process.exitCode = await deleteRuns(options, io);
      return;
    }
    const { listRuns } = await import('./commands/runs.ts');
    process.exitCode = await withRuns(options, (kept) => listRuns(kept, { json: false, ...options }, io));
  });

command('show <run>', 'Show the tree of a run')
  .option('--messages', 'also print its conversation')
  .addOption(new Option('--answer', 'print only its answer').conflicts(['json', 'messages']))
  .option(...ENVIRONMENT)
  .option('--json', 'print JSON')
  .action(async (run: string, options: { env?: string } & Partial<ShowOptions>) => {
    const { showRun } = await import('./commands/show.ts');
    process.exitCode = await withRuns(options, (kept) =>
      showRun(run, kept, { json: false, messages: false, ...options }, io),
    );
  });

command('watch <run>', 'Follow a run of another process')
  .option(...ENVIRONMENT)
  .action(async (run: string, options: { env?: string }) => {
    const { watchRun } = await import('./commands/watch.ts');
    process.exitCode = await withRuns(options, (kept) => watchRun(run, kept, io));
  });

command('stop <run>', 'Stop a run with everything below it')
  .option(...ENVIRONMENT)
  .action(async (run: string, options: { env?: string }) => {
    const { stopRun } = await import('./commands/stop.ts');
    process.exitCode = await withRuns(options, (kept) => stopRun(run, kept, io));
  });

command(
  'resume <run>',
  'Continue a run after a crash, a stop or a failure, with its model, prompt and limits',
)
  .option('--timeout <seconds>', 'seconds from now on (default: those that it started with)', secondsToRun)
  .option(...ENVIRONMENT)
  .option(...AGENTS_DIR)
  .option('-v, --verbose', 'report on stderr what happens')
  .option('--json', 'print one line of JSON instead of the answer')
  .action(async (run: string, options: ResumeOptions) => {
    const { resume } = await import('./commands/resume.ts');
    process.exitCode = await resume(run, options, io);
  });

const agents = command('agents', 'Show, create and check agents');
agents
  .command('list')
  .description('List agents')
  .option(...AGENTS_DIR)
  .action(async (options: AgentsOptions) => (await import('./commands/agents.ts')).listAgents(options, io));
agents
  .command('show <agent>')
  .description("Show what an agent's file sets")
  .option(...AGENTS_DIR)
  .action(async (agent: string, options: AgentsOptions) =>
    (await import('./commands/agents.ts')).showAgent(agent, options, io),
  );
agents
  .command('init <agent>')
  .description(
    'Write a template into ./agents if it exists, otherwise into your own folder, and print its path',
  )
  .option('--agents-dir <folder>', 'write it into this folder')
  .action(async (agent: string, options: AgentsOptions) =>
    (await import('./commands/agents.ts')).initAgent(agent, options, io),
  );
agents
  .command('edit <agent>')
  .description("Open an agent's file in $EDITOR")
  .option(...AGENTS_DIR)
  .action(async (agent: string, options: AgentsOptions) =>
    (await import('./commands/agents.ts')).editAgent(agent, options, io),
  );

agents
  .command('check [agents...]')
  .description('Check these agents, or all, with everything that they refer to')
  .option(...AGENTS_DIR)
  .action(async (names: string[], options: AgentsOptions) => {
    process.exitCode = await (await import('./commands/check-agents.ts')).checkAgents(names, options, io);
  });

const skills = command('skills', 'Show skills');
skills
  .command('list')
  .description('List skills')
  .option(...AGENTS_DIR)
  .action(async (options: AgentsOptions) => (await import('./commands/skills.ts')).listSkills(options, io));
skills
  .command('show <skill>')
  .description('Print a skill')
  .option(...AGENTS_DIR)
  .action(async (skill: string, options: AgentsOptions) =>
    (await import('./commands/skills.ts')).showSkill(skill, options, io),
  );

const memory = command('memory', 'Show, export and import what agents remember');
memory
  .command('show <agent>')
  .description("Print the part of an agent's memory that it is shown")
  .option(...ENVIRONMENT)
  .option(...AGENTS_DIR)
  .action(async (agent: string, options: MemoryOptions) =>
    (await import('./commands/memory.ts')).showMemory(agent, options, io),
  );
memory
  .command('export <agent>')
  .description("Print all of an agent's memory as Markdown")
  .option(...ENVIRONMENT)
  .option(...AGENTS_DIR)
  .action(async (agent: string, options: MemoryOptions) =>
    (await import('./commands/memory.ts')).exportMemory(agent, options, io),
  );
memory
  .command('import <agent>')
  .description('Add an exported memory from stdin; entries that exist already are skipped')
  .option(...ENVIRONMENT)
  .option(...AGENTS_DIR)
  .action(async (agent: string, options: MemoryOptions) =>
    (await import('./commands/memory.ts')).importMemory(agent, options, io),
  );

command('gc [agent]', 'Have a model analyse the memory of an agent, then trim it')
  .option('--all', 'process every agent with a memory')
  .option(
    '--versions',
    'instead of trimming memories, remove versions of deployed functions that no execution needs',
  )
  .option('--dry-run', 'trim and remove nothing')
  .option('--model <provider/name>', "use this model instead of the agent's")
  .option(...ENVIRONMENT)
  .option(...AGENTS_DIR)
  .action(async (agent: string | undefined, options: GcOptions) => {
    process.exitCode = options.versions
      ? await (await import('./commands/gc-versions.ts')).gcVersions(agent, options, io)
      : await (await import('./commands/gc.ts')).gc(agent, options, io);
  });

const config = command('config', 'Show and create your own configuration');
config
  .command('path')
  .description('Print its path')
  .action(async () => (await import('./commands/config.ts')).printConfigPath(io));
config
  .command('init')
  .description('Create agents/, skills/sample/ and config.toml there')
  .action(async () => (await import('./commands/config.ts')).initConfig(io));

command('serve', 'Serve the HTTP API, and run agents on their schedules')
  .option('--host <address>', 'where to listen; any address but loopback requires a token', '127.0.0.1')
  .option('--port <number>', 'port to listen on; 0 for any free port', port, 8080)
  .option(...AGENTS_DIR)
  .action(async (options: { host: string; port: number; agentsDir?: string }) => {
    const { serve } = await import('./commands/serve.ts');
    process.exitCode = await serve(options, io);
  });

command('states', 'Serve the Step Functions API on loopback, with the embedded interpreter behind it')
  .option('--port <number>', 'port to listen on; 0 for any free port', port, 8083)
  .option(
    '--lambda-endpoint <url>',
    'where to invoke Lambda functions; without it, tasks that invoke one fail',
  )
  .addHelpText('after', '\nState machines must use JSONata: "QueryLanguage": "JSONata".')
  .action(async (options: { port: number; lambdaEndpoint?: string }) => {
    const { serveStates } = await import('./commands/states.ts');
    const server = await serveStates(options);
    io.stderr(`Step Functions API on ${server.url}; stop with Ctrl-C\n`);
    io.interrupted.addEventListener('abort', () => void server.close(), { once: true });
  });

command('version', 'Print the version').action(() => io.stdout(`${VERSION}\n`));

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    process.exitCode = thrown.exitCode === 0 ? EXIT.success : EXIT.configuration;
  } else {
    const hint = thrown instanceof AgentNotFoundError ? await thrown.hint() : '';
    io.stderr(`Error: ${messageOf(thrown)}${hint}\n`);
    process.exitCode = exitCodeOfError(thrown);
  }
}
