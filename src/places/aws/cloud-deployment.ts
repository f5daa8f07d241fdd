import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { assertEnvironmentName, Deployment, environmentPath } from './deployment.ts';
import { ConfigError, messageOf } from '../../errors.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

/**
 * The published description of a deployed environment.
 * @throws {ConfigError} if there is no such environment in the account and Region that the credentials are for
 */
export async function findDeployment(environment: string): Promise<Deployment> {
  assertEnvironmentName(environment);
  const name = environmentPath(environment);
  let value: string | undefined;
  try {
    value = (await new SSMClient(CLIENT_LIMITS).send(new GetParameterCommand({ Name: name }))).Parameter
      ?.Value;
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.name === 'ParameterNotFound')) {
      throw new ConfigError(
        `cannot look up environment "${environment}": ${messageOf(thrown)}; check the credentials and the Region (AWS_PROFILE, AWS_REGION)`,
        {
          cause: thrown,
        },
      );
    }
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Deployment), value);
  if (parsed.success) return parsed.output;
  throw new ConfigError(
    `environment "${environment}" is not deployed in this account and Region (no parameter ${name}); deploy it with: npx cdk deploy -c env=${environment}`,
  );
}
