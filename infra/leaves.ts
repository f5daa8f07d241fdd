import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseLog } from './house-log.ts';
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
    const stateMachineName = `${settings.stem}-leaves`;
    const role = new MachineRole(this, 'Role');
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        // Every version: executions under way go on with those that their own definition names.
        resources: Object.values(functions).map(({ functionArn }) => `${functionArn}:*`),
      }),
    );
    const { open, turn, tool, settle } = functions;
    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName,
      stateMachineType: StateMachineType.EXPRESS,
      definitionBody: DefinitionBody.fromString(JSON.stringify(definition)),
      definitionSubstitutions: {
        Partition: Stack.of(this).partition,
        OpenFunction: open.currentVersion.functionArn,
        TurnFunction: turn.currentVersion.functionArn,
        ToolFunction: tool.currentVersion.functionArn,
        SettleFunction: settle.currentVersion.functionArn,
      },
      role,
      tracingEnabled: true,
      logs: {
        destination: new HouseLog(this, 'Log', `/aws/vendedlogs/states/${stateMachineName}`, settings),
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
  }
}
