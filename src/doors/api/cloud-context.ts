import { openPackedAgents } from '../../authoring/loading/folders/packed-agents.ts';
import { openFunctionEnvironment } from '../../places/aws/cloud-function-environment.ts';
import { ENVIRONMENT } from '../../places/aws/variables.ts';
import { asError } from '../../errors.ts';
import type { ApiContext, ApiFault } from './context.ts';
import { parseModels } from './parse-models.ts';

/**
 * What the doors of a deployed environment are handed, as the variables of their function say.
 * @param folder absolute: where its agents are packed
 */
export function functionContext(
  folder: string,
  door: Pick<ApiContext, 'answerSeconds' | 'streams'>,
): ApiContext {
  const source = openPackedAgents(folder);
  return {
    ...door,
    environment: openFunctionEnvironment(source),
    source,
    models: parseModels(process.env[ENVIRONMENT.apiModels]),
    issuer: process.env[ENVIRONMENT.issuer],
    adminScopes: process.env[ENVIRONMENT.adminScopes]?.split(' '),
    now: Date.now,
    log: writeFault,
  };
}

/** Writes what a client does not see, as one line of JSON. */
function writeFault({ id, method, path, thrown }: ApiFault): void {
  const { name, message, stack } = asError(thrown);
  const timestamp = new Date().toISOString();
  process.stdout.write(
    `${JSON.stringify({ level: 'ERROR', timestamp, id, method, path, name, message, stack })}\n`,
  );
}
