import { localPorts } from '../../api/local-ports.ts';
import { parseModels } from '../../api/to-request.ts';
import { openLocalPipeline } from '../../pipeline/local-pipeline.ts';
import { localSources } from '../../pipeline/local-sources.ts';
import { keepInside } from '../../workspace/outside.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/**
 * `cadre mcp`: the agents here as tools, until the client that started this process closes its stdin. What is told to
 * people goes to stderr; stdout is the protocol's.
 * @returns the exit code
 */
export async function mcp({ agentsDir }: { agentsDir?: string }, io: RunIo): Promise<number> {
  const models = parseModels(io.env['CADRE_API_MODELS']);
  const tell = (line: string) => io.stderr(`${oneLine(line)}\n`);
  const { findOutside, ...sources } = await localSources(io, agentsDir);
  const source = keepInside(sources.source, findOutside, (line) => tell(`Warning: ${line}`));
  // A folder of --agents-dir that cannot be read is reported now and not to the client.
  await source.list();
  const pipeline = await openLocalPipeline({ cwd: io.cwd, ...sources, source });
  try {
    const ports = localPorts({ pipeline, source, models, now: Date.now, tell });
    const { serveMcpOverStdio } = await import('../../api/mcp/stdio.ts');
    await serveMcpOverStdio(ports, io.interrupted);
    await ports.executions.stopAll('its client has left');
    return EXIT.success;
  } finally {
    await pipeline.close();
  }
}
