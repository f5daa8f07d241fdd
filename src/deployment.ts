import * as v from 'valibot';
import { ConfigError } from './errors.ts';

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
  /** What `cadre verify` needs; absent where the environment has no agents for it. */
  verification: v.optional(
    v.object({
      /** The machine that schedules start, and the role in which EventBridge Scheduler starts it. */
      startingMachineArn: v.string(),
      schedulerRoleArn: v.string(),
      /** Whether the API takes requests that IAM principals signed, and not tokens. */
      takesSignatures: v.boolean(),
    }),
  ),
});
export type Deployment = v.InferOutput<typeof Deployment>;

/** It is a part of the names of functions and machines, of which those of functions end at 64 characters. */
const ENVIRONMENT_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** @throws {ConfigError} for what cannot be the name of an environment */
export function assertEnvironmentName(name: string): void {
  if (ENVIRONMENT_NAME.test(name)) return;
  throw new ConfigError(
    `invalid environment name ${JSON.stringify(name)}: use at most 32 lower-case letters, digits and "-", a letter first`,
  );
}

/** The parameter's name for an environment: `/cadre/dev`. */
export function deploymentParameter(environment: string): string {
  return `/cadre/${environment}`;
}

/** The last part of the name of the function that is made of a module. */
export function moduleFunctionPart(tool: string): string {
  return `fn-${tool}`;
}

/**
 * The name in Lambda of the function that is made of a module: `cadre-dev-fn-weather`.
 * @param tool what the model calls it
 */
export function moduleFunctionName(environment: string, tool: string): string {
  return `cadre-${environment}-${moduleFunctionPart(tool)}`;
}

/** What a question to a person is called on the account's default event bus. */
export const QUESTION_EVENT = { Source: 'cadre', DetailType: 'Question asked' } as const;
