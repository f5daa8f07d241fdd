import { openPackedAgents } from '../../authoring/loading/folders/packed-agents.ts';
import { openFunctionEnvironment } from '../../places/aws/cloud-function-environment.ts';
import { functionShare } from '../../places/aws/function-share.ts';
import { A2A_AGENT, ENVIRONMENT } from '../../places/aws/variables.ts';
import { HOUSE } from './cloud-house.ts';
import type { ApiContext } from './context.ts';
import { parseModels } from './parse-models.ts';

/**
 * The context of the doors of a deployed environment, from the variables of their function.
 * @param folder absolute: where its agents are packed
 */
export function functionContext(
  folder: string,
  door: Pick<ApiContext, 'answerSeconds' | 'streams'>,
): ApiContext {
  const source = openPackedAgents(folder, functionShare());
  return {
    ...HOUSE,
    ...door,
    environment: openFunctionEnvironment(source),
    source,
    models: parseModels(process.env[ENVIRONMENT.apiModels]),
    a2a: process.env[A2A_AGENT],
  };
}
