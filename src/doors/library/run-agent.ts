import type { CadreOptions, RunOptions, RunResult } from './cadre.ts';
import { openCadre } from './open-cadre.ts';

/** The request for the run, and the place where it is carried out. */
export interface RunAgentOptions extends RunOptions, CadreOptions {}

/**
 * Runs an agent once: `openCadre`, `run` and `close`.
 * @param agent its name: that of its file in `agents/`, without `.toml`
 * @returns its answer
 * @throws as `Cadre.run` does
 */
export async function runAgent(agent: string, options: RunAgentOptions = {}): Promise<RunResult> {
  const { folder, agentsDir, environment, lambdaEndpoint, onWarning, ...run } = options;
  const place = { folder, agentsDir, environment, lambdaEndpoint, onWarning };
  const cadre = await openCadre(place);
  try {
    return await cadre.run(agent, run);
  } finally {
    await cadre.close();
  }
}
