import { ConfigError } from '../src/errors.ts';
import { nearest } from '../src/nearest.ts';

/** The keys of the context that an app of Cadre reads. */
const CONTEXT_KEYS = ['env', 'environments', 'localAgents'] as const;

/**
 * Refuses a key of the context that is spelled almost like one of ours, which would have no effect. Those of CDK and of
 * others stay as they are.
 * @param app the CDK app, or any part of it
 * @throws {ConfigError} with the key that is probably meant
 */
export function assertContext({ node }: { node: { getAllContext(): object } }): void {
  for (const key of Object.keys(node.getAllContext())) {
    const meant = nearest(key, CONTEXT_KEYS);
    if (meant === undefined || meant === key) continue;
    throw new ConfigError(`cdk.json, context: unknown key "${key}", did you mean "${meant}"?`);
  }
}
