import { openPackedAgents } from '../../authoring/loading/folders/packed-agents.ts';
import { openFunctionEnvironment } from '../../places/aws/cloud-function-environment.ts';
import { openFunctionFollowing } from '../../places/aws/cloud-function-following.ts';
import { ENVIRONMENT } from '../../places/aws/variables.ts';
import { asError } from '../../errors.ts';
import type { ApiContext, ApiFault, WatchContext } from './context.ts';
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
    ...HOUSE,
    ...door,
    environment: openFunctionEnvironment(source),
    source,
    models: parseModels(process.env[ENVIRONMENT.apiModels]),
  };
}

/** The same for those who follow runs. An HTTP API hands on whole answers only. */
export function functionWatchContext(): WatchContext {
  return { ...HOUSE, streams: false, environment: openFunctionFollowing() };
}

const HOUSE = {
  adminScopes: process.env[ENVIRONMENT.adminScopes]?.split(' '),
  now: Date.now,
  log: writeFault,
};

/** Writes what a client does not see, as one line of JSON. */
function writeFault({ id, method, path, thrown }: ApiFault): void {
  const { name, message, stack } = asError(thrown);
  const timestamp = new Date().toISOString();
  process.stdout.write(
    `${JSON.stringify({ level: 'ERROR', timestamp, id, method, path, name, message, stack })}\n`,
  );
}
