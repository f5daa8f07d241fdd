import { createHash } from 'node:crypto';
import { Duration, TimeZone } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-scheduler-targets';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { tickParts } from '../src/core/records/run-id.ts';
import { toSchedulerExpression } from '../src/core/agent-schema/schedule/schedule.ts';
import type { Conversation } from './conversation.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseMachine } from './house-machine.ts';
import { MachineRole, SchedulerRole } from './service-roles.ts';
import type { DeployedAgents } from './project.ts';
import definition from './scheduled-start.asl.json' with { type: 'json' };

export interface SchedulesProps {
  settings: EnvironmentSettings;
  agents: DeployedAgents;
  conversation: Conversation;
  /** Knows whether everything is paused. */
  control: IFunction;
  deadLetters: DeadLetters;
}

/**
 * The schedules of agents that carry one. EventBridge Scheduler may deliver a tick twice, and what it knows of a tick,
 * its time, may not stand in an execution's name as it is. So it starts a machine of one state, which makes the name
 * of the run from the time: Step Functions itself then refuses the second start.
 */
export class Schedules extends Construct {
  /** Undefined where nothing is scheduled. */
  readonly machine: StateMachine | undefined;

  constructor(
    scope: Construct,
    id: string,
    { settings, agents, conversation, control, deadLetters }: SchedulesProps,
  ) {
    super(scope, id);
    const scheduled = [...agents].flatMap(
      ([
        name,
        {
          agent: { schedule },
        },
      ]) => (schedule === undefined ? [] : [{ name, schedule }]),
    );
    if (scheduled.length === 0 && !settings.verify) return;
    this.machine = startingMachine(this, settings, conversation, control);
    if (scheduled.length === 0) return;
    const role = new SchedulerRole(this, 'SchedulerRole');
    for (const { name, schedule } of scheduled) {
      new Schedule(this, name, {
        scheduleName: scheduleName(settings.stem, name),
        description: `Runs of the agent ${name}`,
        enabled: schedule.enabled,
        schedule: ScheduleExpression.expression(
          toSchedulerExpression(schedule),
          TimeZone.of(schedule.timezone),
        ),
        target: new StepFunctionsStartExecution(this.machine, {
          role,
          input: ScheduleTargetInput.fromObject({
            agent: name,
            prompt: schedule.prompt,
            ...(schedule.budget !== undefined && { budget: schedule.budget }),
            ...(schedule.service !== undefined && { service: schedule.service }),
            time: ContextAttribute.scheduledTime,
            ...tickParts(name),
          }),
          retryAttempts: 20,
          // A run that starts much later is not the one that was asked for.
          maxEventAge: Duration.hours(1),
          deadLetterQueue: deadLetters.queue,
        }),
      });
    }
  }
}

/** EventBridge Scheduler, CreateSchedule. */
const NAME_CHARACTERS = 64;
const DIGEST_CHARACTERS = 8;

/** A name that is too long is cut, and ends in a digest of the agent's, so that no two of them become one. */
function scheduleName(stem: string, agent: string): string {
  const name = `${stem}-${agent}`;
  if (name.length <= NAME_CHARACTERS) return name;
  const digest = createHash('sha256').update(agent).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${name.slice(0, NAME_CHARACTERS - DIGEST_CHARACTERS - 1)}-${digest}`;
}

function startingMachine(
  scope: Construct,
  settings: EnvironmentSettings,
  conversation: Conversation,
  control: IFunction,
): StateMachine {
  const { stateMachineArn } = conversation.machine;
  const role = new MachineRole(scope, 'Role');
  role.addToPolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachineArn] }));
  role.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [control.functionArn] }),
  );
  return new HouseMachine(scope, 'Machine', {
    settings,
    stateMachineName: `${settings.stem}-schedule`,
    definition,
    substitutions: { ConversationMachine: stateMachineArn, ControlFunction: control.functionArn },
    role,
  });
}
