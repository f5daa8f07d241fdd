import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/places/aws/variables.ts';
import definition from './bucket.asl.json' with { type: 'json' };
import type { Conversation } from './conversation.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { HouseFunction } from './house-function.ts';
import { HouseMachine } from './house-machine.ts';
import { MachineRole } from './service-roles.ts';

export interface BatchesProps {
  settings: EnvironmentSettings;
  /** The function that collects turns and brings answers. */
  batch: HouseFunction;
  /** The function by which turns come to wait. */
  control: LambdaFunction;
  conversation: Conversation;
}

/**
 * The machine that looks after the turns whose models are asked in batches (`service = "batch"` of an agent's file). It
 * costs nothing while no agent asks for it.
 */
export class Batches extends Construct {
  readonly machine: HouseMachine;

  constructor(scope: Construct, id: string, { settings, batch, control, conversation }: BatchesProps) {
    super(scope, id);
    const stateMachineName = `${settings.stem}-batches`;
    // From its name, since functions that it comes after start it.
    const machineArn = Stack.of(this).formatArn({
      service: 'states',
      resource: 'stateMachine',
      resourceName: stateMachineName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    for (const starter of [control, batch]) {
      starter.addEnvironment(ENVIRONMENT.batchMachine, machineArn);
      starter.addToRolePolicy(
        new PolicyStatement({ actions: ['states:StartExecution'], resources: [machineArn] }),
      );
    }
    conversation.grantWakeTo(batch);
    const role = new MachineRole(this, 'Role');
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        // Every version: executions under way go on with those that their own definition names.
        resources: [`${batch.functionArn}:*`],
      }),
    );
    this.machine = new HouseMachine(this, 'Machine', {
      settings,
      stateMachineName,
      definition,
      substitutions: { BatchFunction: batch.currentVersion.functionArn },
      role,
    });
  }
}
