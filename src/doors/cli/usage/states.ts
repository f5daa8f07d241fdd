import { port } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { ReplayHistoryOptions } from '../commands/replay-history.ts';

export function defineStates({ command, io }: Cli): void {
  const states = command(
    'states',
    'Serve the Step Functions API on loopback, with the embedded interpreter behind it',
  )
    .option('--port <number>', 'port to listen on; 0 for any free port', port, 8083)
    .option(
      '--lambda-endpoint <url>',
      'where to invoke Lambda functions; without it, tasks that invoke one fail',
    )
    .addHelpText('after', '\nState machines must use JSONata: "QueryLanguage": "JSONata".')
    .action(async (options: { port: number; lambdaEndpoint?: string }) => {
      const { serveStates } = await import('../commands/states.ts');
      const server = await serveStates(options);
      io.stderr(`Step Functions API on ${server.url}; stop with Ctrl-C\n`);
      io.interrupted.addEventListener('abort', () => void server.close(), { once: true });
    });
  states
    .command('replay <history>')
    .description('Run an execution again in the interpreter, from a file with its GetExecutionHistory')
    .option('--definition <file>', "the state machine's definition (default: the one that carries runs)")
    .action(async (history: string, options: ReplayHistoryOptions) => {
      const { replayExecution } = await import('../commands/replay-history.ts');
      process.exitCode = await replayExecution(history, options, io);
    });
}
