import { port } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { AGENTS_DIR } from '../shared-options.ts';

export function defineServe({ command, io }: Cli): void {
  command('serve', 'Serve the page and the HTTP API, and run agents on their schedules')
    .option('--host <address>', 'where to listen; any address but loopback requires a token', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 for any free port', port, 8080)
    .option(...AGENTS_DIR)
    .action(async (options: { host: string; port: number; agentsDir?: string }) => {
      const { serve } = await import('../commands/serve.ts');
      process.exitCode = await serve(options, io);
    });
}
