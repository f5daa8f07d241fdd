/**
 * The environment of deployed functions: what the stack sets and a function reads. Values are names of resources,
 * never secrets.
 */
export const ENVIRONMENT = {
  /** The DynamoDB table that keeps runs. */
  table: 'CADRE_TABLE',
  /** The bucket for texts that are too large for the table. */
  bucket: 'CADRE_BUCKET',
  /** The secret in Secrets Manager that holds the providers' keys, as JSON: `{"anthropic": "…"}`. */
  keysSecret: 'CADRE_KEYS_SECRET',
} as const;

export type EnvironmentVariable = (typeof ENVIRONMENT)[keyof typeof ENVIRONMENT];

/** @throws {TypeError} if the stack did not set it: a fault of the deployment, not of a user */
export function required(name: EnvironmentVariable, env: NodeJS.ProcessEnv = process.env): string {
  const value = env[name];
  if (value === undefined || value === '') throw new TypeError(`the environment variable ${name} is not set`);
  return value;
}
