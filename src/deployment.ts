import * as v from 'valibot';

/**
 * What a deployed environment publishes of itself: one parameter in Systems Manager, by which `cadre --env` finds it.
 * Names and addresses only, no secrets.
 */
export const Deployment = v.object({
  region: v.string(),
  stateMachineArn: v.string(),
  tableName: v.string(),
  bucketName: v.string(),
  apiUrl: v.string(),
  /** Days after which what is written of a run may go. */
  keepDays: v.number(),
});
export type Deployment = v.InferOutput<typeof Deployment>;

/** The parameter's name for an environment: `/cadre/dev`. */
export function deploymentParameter(environment: string): string {
  return `/cadre/${environment}`;
}
