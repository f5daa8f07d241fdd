import type { LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { findingsOf, type Findings } from './check-agent.ts';
import { deploymentClaims, type DeploymentPorts } from './claims/deployment.ts';
import { references } from './claims/references.ts';
import { ownerWarnings } from './owner-warnings.ts';

/**
 * Looks at everything that an agent is deployed with. Its files are not: they are looked up in a bucket.
 * @param ports.takesTokens whether the API tells persons apart
 */
export async function checkDeployedAgent(
  loaded: LoadedAgent,
  ports: DeploymentPorts & { takesTokens?: boolean },
): Promise<Findings> {
  const claims = [...references(loaded, ports), ...deploymentClaims(loaded, ports)];
  const { errors, warnings } = await findingsOf(loaded, claims, ports);
  const ofOwners = ports.takesTokens ? ownerWarnings(loaded.agent) : [];
  return { errors, warnings: [...warnings, ...ofOwners] };
}
