import { port } from '../arguments.ts';
import type { Cli } from '../cli.ts';

export function defineStates({ command, io }: Cli): void {
  command('states', 'Serve the Step Functions API on loopback, with the embedded interpreter behind it')
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
}
