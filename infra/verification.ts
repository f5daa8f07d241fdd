import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Deployment } from '../src/places/aws/deployment.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { SchedulerRole } from './service-roles.ts';
import type { Schedules } from './schedules.ts';

/**
 * The agents that `cadre verify` finds in an environment made for it. The command creates a schedule itself, in a role
 * that may do nothing but start what the agents' own schedules start.
 */
export function verificationOf(
  scope: Construct,
  { verify }: EnvironmentSettings,
  { machine }: Schedules,
): Pick<Deployment, 'verification'> {
  if (!verify || machine === undefined) return {};
  const role = new SchedulerRole(scope, 'VerificationSchedulerRole');
  role.addToPolicy(
    new PolicyStatement({ actions: ['states:StartExecution'], resources: [machine.stateMachineArn] }),
  );
  const verification = {
    startingMachineArn: machine.stateMachineArn,
    schedulerRoleArn: role.roleArn,
  };
  return { verification };
}
