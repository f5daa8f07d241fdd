import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** A role that a service takes on for this account and for no other account's resources. */
class ServiceRole extends Role {
  constructor(scope: Construct, id: string, service: string) {
    super(scope, id, {
      assumedBy: new ServicePrincipal(service, {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
      }),
    });
  }
}

/** The role of a machine of ours. */
export class MachineRole extends ServiceRole {
  constructor(scope: Construct, id: string) {
    super(scope, id, 'states.amazonaws.com');
  }
}

/** The role in which EventBridge Scheduler starts a machine of ours. */
export class SchedulerRole extends ServiceRole {
  constructor(scope: Construct, id: string) {
    super(scope, id, 'scheduler.amazonaws.com');
  }
}
