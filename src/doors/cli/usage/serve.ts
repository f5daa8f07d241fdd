import { Option } from 'commander';
import { port } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { ServeOptions } from '../commands/serve.ts';
import { AGENTS_DIR, ENVIRONMENT, trustHere } from '../shared-options.ts';

export function defineServe({ command, io }: Cli): void {
  command('serve', 'Serve the page and the HTTP API, and run agents on their schedules')
    .option('--host <address>', 'where to listen; any address but loopback requires a token', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 for any free port', port, 8080)
    .addOption(new Option(...AGENTS_DIR).conflicts('env'))
    .addOption(trustHere())
    .addOption(
      new Option(
        '--no-resume',
        'leave alone what earlier servers of this folder were carrying out when they ended',
      ).conflicts('env'),
    )
    .option(...ENVIRONMENT)
    .action(async ({ env, ...options }: ServeOptions & { env?: string }) => {
      if (env === undefined) {
        const { serve } = await import('../commands/serve.ts');
        process.exitCode = await serve(options, io);
      } else {
        const { serveEnvironment } = await import('../commands/serve-environment.ts');
        process.exitCode = await serveEnvironment({ env, ...options }, io);
      }
    });
}
