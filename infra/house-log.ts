import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type EnvironmentSettings, removalPolicyOf } from './environment-settings.ts';

/** A log group as all of ours are: it goes with the stack unless data are retained, and expires. */
export class HouseLog extends LogGroup {
  constructor(scope: Construct, id: string, logGroupName: string, settings: EnvironmentSettings) {
    super(scope, id, {
      logGroupName,
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
  }
}
