import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/places/aws/variables.ts';
import definition from './conversation.asl.json' with { type: 'json' };
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseMachine } from './house-machine.ts';
import { Leaves } from './leaves.ts';
import { MachineRole } from './service-roles.ts';

export interface ConversationProps {
  settings: EnvironmentSettings;
  open: LambdaFunction;
  turn: LambdaFunction;
  tool: LambdaFunction;
  control: LambdaFunction;
  settle: LambdaFunction;
}

/** The machine whose executions are conversations, with a role that lets it call its functions and itself. */
export class Conversation extends Construct {
  readonly machine: StateMachine;
  readonly #machineArn: string;
  /** Of all executions of the machine. */
  readonly executionsArn: string;

  constructor(scope: Construct, id: string, { settings, ...functions }: ConversationProps) {
    super(scope, id);
    const stateMachineName = settings.stem;
    const stack = Stack.of(this);
    const states = { service: 'states', arnFormat: ArnFormat.COLON_RESOURCE_NAME };
    // From its name, since the machine needs the role, and so its policy, before it is there.
    this.#machineArn = stack.formatArn({
      ...states,
      resource: 'stateMachine',
      resourceName: stateMachineName,
    });
    this.executionsArn = stack.formatArn({
      ...states,
      resource: 'execution',
      resourceName: `${stateMachineName}:*`,
    });

    const role = new MachineRole(this, 'Role');
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        // Every version: executions under way go on with those that their own definition names.
        resources: Object.values(functions).map(({ functionArn }) => `${functionArn}:*`),
      }),
    );
    role.addToPolicy(
      new PolicyStatement({ actions: ['states:StartExecution'], resources: [this.#machineArn] }),
    );
    // To wait for a sub-agent, and to stop it with its parent (Step Functions, "Start state machine executions").
    role.addToPolicy(
      new PolicyStatement({
        actions: ['states:DescribeExecution', 'states:StopExecution'],
        resources: [this.executionsArn],
      }),
    );
    // Step Functions learns of the end of nested executions by a rule that it manages itself.
    role.addToPolicy(
      new PolicyStatement({
        actions: ['events:DescribeRule', 'events:PutRule', 'events:PutTargets'],
        resources: [
          stack.formatArn({
            service: 'events',
            resource: 'rule',
            resourceName: 'StepFunctionsGetEventsForStepFunctionsExecutionRule',
          }),
        ],
      }),
    );

    const { open, turn, tool, control, settle } = functions;
    const leaves = new Leaves(this, 'Leaves', { settings, open, turn, tool, settle }).machine;
    role.addToPolicy(
      new PolicyStatement({
        actions: ['states:StartSyncExecution'],
        resources: [leaves.stateMachineArn],
      }),
    );
    this.machine = new HouseMachine(this, 'Machine', {
      settings,
      stateMachineName,
      definition,
      substitutions: {
        // Published versions, so that no code is changed under a running execution.
        OpenFunction: open.currentVersion.functionArn,
        TurnFunction: turn.currentVersion.functionArn,
        ToolFunction: tool.currentVersion.functionArn,
        ControlFunction: control.currentVersion.functionArn,
        SettleFunction: settle.currentVersion.functionArn,
        LeafMachine: leaves.stateMachineArn,
      },
      role,
    });
    // Likewise: the machine comes after the functions that it calls, and these after those that are tools. A permission
    // or a variable of a tool that came after the machine would close the circle.
    Object.defineProperty(this.machine, 'stateMachineArn', { value: this.#machineArn });
  }

  /** Lets a function wake executions that wait for a token. */
  grantWakeTo(handler: LambdaFunction): void {
    handler.addToRolePolicy(
      new PolicyStatement({ actions: ['states:SendTaskSuccess'], resources: [this.#machineArn] }),
    );
  }

  /** Lets a function start runs, look at their executions and stop them. */
  grantControlTo(handler: LambdaFunction): void {
    // Some of them are called by the machine itself, which comes after them.
    handler.addToRolePolicy(
      new PolicyStatement({ actions: ['states:StartExecution'], resources: [this.#machineArn] }),
    );
    handler.addToRolePolicy(
      new PolicyStatement({ actions: ['states:StopExecution'], resources: [this.executionsArn] }),
    );
    this.grantLookTo(handler);
  }

  /** Lets a function look at executions. */
  grantLookTo(handler: LambdaFunction): void {
    handler.addEnvironment(ENVIRONMENT.stateMachine, this.#machineArn);
    handler.addToRolePolicy(
      new PolicyStatement({ actions: ['states:DescribeExecution'], resources: [this.executionsArn] }),
    );
  }
}
