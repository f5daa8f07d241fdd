import { Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, LogLevel, StateMachine, type StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseLog } from './house-log.ts';

export interface HouseMachineProps {
  settings: EnvironmentSettings;
  stateMachineName: string;
  /** Absent: Standard. */
  stateMachineType?: StateMachineType;
  /** In the Amazon States Language. */
  definition: object;
  /** For the names in `${}` of the definition, besides `Partition`. */
  substitutions: Readonly<Record<string, string>>;
  role: IRole;
}

/** A state machine as all of ours are: traced, with a log of its errors. */
export class HouseMachine extends StateMachine {
  constructor(scope: Construct, id: string, props: HouseMachineProps) {
    const { settings, definition, substitutions, ...given } = props;
    super(scope, id, {
      ...given,
      definitionBody: DefinitionBody.fromString(JSON.stringify(definition)),
      definitionSubstitutions: { Partition: Stack.of(scope).partition, ...substitutions },
      tracingEnabled: true,
      logs: {
        // The prefix that keeps the log's resource policy short (Step Functions, "Logging").
        destination: new HouseLog(scope, 'Log', `/aws/vendedlogs/states/${given.stateMachineName}`, settings),
        level: LogLevel.ERROR,
        // Inputs and outputs may hold users' texts.
        includeExecutionData: false,
      },
    });
  }
}
