import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseMachine } from './house-machine.ts';
import definition from './leaf-conversation.asl.json' with { type: 'json' };
import { MachineRole } from './service-roles.ts';

interface LeavesProps {
  settings: EnvironmentSettings;
  open: LambdaFunction;
  turn: LambdaFunction;
  tool: LambdaFunction;
  settle: LambdaFunction;
}

/**
 * The Express machine for sub-agents that call no others (`express = true` of an agent's file). It costs nothing while
 * no agent asks for it.
 */
export class Leaves extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, { settings, ...functions }: LeavesProps) {
    super(scope, id);
    const role = new MachineRole(this, 'Role');
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        // Every version: executions under way go on with those that their own definition names.
        resources: Object.values(functions).map(({ functionArn }) => `${functionArn}:*`),
      }),
    );
    const { open, turn, tool, settle } = functions;
    this.machine = new HouseMachine(this, 'Machine', {
      settings,
      stateMachineName: `${settings.stem}-leaves`,
      stateMachineType: StateMachineType.EXPRESS,
      definition,
      substitutions: {
        OpenFunction: open.currentVersion.functionArn,
        TurnFunction: turn.currentVersion.functionArn,
        ToolFunction: tool.currentVersion.functionArn,
        SettleFunction: settle.currentVersion.functionArn,
      },
      role,
    });
  }
}
