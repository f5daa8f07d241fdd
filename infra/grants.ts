import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import { BUCKET_PREFIX } from '../src/places/aws/variables.ts';
import type { Conversation } from './conversation.ts';
import { grantDataKey } from './data-key.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { Store } from './store.ts';

/** The resources that grants are made from. */
export interface Granted {
  settings: EnvironmentSettings;
  store: Store;
  conversation: Conversation;
  parameter: IStringParameter;
}

/** Lets a principal find the environment, and start runs in it. */
export function grantStart(grantee: IGrantable, granted: Granted): Grant {
  const { machine } = granted.conversation;
  return grantAll(grantee, granted, {
    // A request is written down before its run is started, and its text apart if it is long.
    items: ['PutItem'],
    texts: ['PutObject'],
  }).combine(machine.grantStartExecution(grantee));
}

/** Lets a principal find the environment, and look at its runs. */
export function grantRead(grantee: IGrantable, granted: Granted): Grant {
  const { executionsArn } = granted.conversation;
  return grantAll(grantee, granted, { items: ['GetItem', 'Query'], texts: ['GetObject'] }).combine(
    Grant.addToPrincipal({
      grantee,
      actions: ['states:DescribeExecution'],
      resourceArns: [executionsArn],
    }),
  );
}

function grantAll(
  grantee: IGrantable,
  { settings, store, parameter }: Granted,
  { items, texts }: { items: string[]; texts: string[] },
): Grant {
  grantDataKey(grantee, settings);
  const grant = (actions: string[], arn: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [arn] });
  return grant(['ssm:GetParameter'], parameter.parameterArn)
    .combine(
      grant(
        items.map((action) => `dynamodb:${action}`),
        store.table.tableArn,
      ),
    )
    .combine(
      grant(
        texts.map((action) => `s3:${action}`),
        store.bucket.arnForObjects(`${BUCKET_PREFIX.runs}*`),
      ),
    );
}
