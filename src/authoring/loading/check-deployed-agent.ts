import type { LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { findingsOf, type Findings } from './check-agent.ts';
import { deploymentClaims, type DeploymentPorts } from './claims/deployment.ts';
import { references } from './claims/references.ts';

/** Looks at everything that an agent is deployed with. Its files are not: they are looked up in a bucket. */
export function checkDeployedAgent(loaded: LoadedAgent, ports: DeploymentPorts): Promise<Findings> {
  return findingsOf(loaded, [...references(loaded, ports), ...deploymentClaims(loaded, ports)], ports);
}
