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

interface Actions {
  items: readonly string[];
  texts: readonly string[];
  executions: readonly string[];
}

/**
 * What starting a run takes besides: its request is written down, and its text apart if it is long, unless everything is
 * paused or a limit per day is reached; then its record is waited for.
 */
export const STARTS: Actions = {
  items: ['GetItem', 'PutItem'],
  texts: ['PutObject'],
  executions: ['DescribeExecution'],
};
const READS: Actions = {
  items: ['GetItem', 'Query'],
  texts: ['GetObject'],
  executions: ['DescribeExecution'],
};

/** Lets a principal find the environment, and start runs in it. */
export function grantStart(grantee: IGrantable, granted: Granted): Grant {
  const { machine } = granted.conversation;
  return grantAll(grantee, granted, STARTS).combine(machine.grantStartExecution(grantee));
}

/** Lets a principal find the environment, and look at its runs. */
export function grantRead(grantee: IGrantable, granted: Granted): Grant {
  return grantAll(grantee, granted, READS);
}

function grantAll(
  grantee: IGrantable,
  { settings, store, conversation, parameter }: Granted,
  { items, texts, executions }: Actions,
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
    )
    .combine(
      grant(
        executions.map((action) => `states:${action}`),
        conversation.executionsArn,
      ),
    );
}
