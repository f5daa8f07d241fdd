import { Fn, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type EnvironmentSettings, removalPolicyOf } from './environment-settings.ts';

/** A log group as all of ours are: it goes with the stack unless data are retained, and expires. */
export class HouseLog extends LogGroup {
  constructor(scope: Construct, id: string, name: string, settings: EnvironmentSettings) {
    super(scope, id, {
      // One that stays when the stack goes would be in the way of the next stack's.
      logGroupName: settings.retainData ? `${name}-${incarnation(scope)}` : name,
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
  }
}

/** Eight digits that each stack has for itself, also among those of one name: the first ones of its UUID. */
function incarnation(scope: Construct): string {
  const uuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return Fn.select(0, Fn.split('-', uuid));
}
