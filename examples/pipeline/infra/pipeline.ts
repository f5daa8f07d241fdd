import { join } from 'node:path';
import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CadreEnvironment, type CadreEnvironmentProps } from 'cadre/cdk';

/** A queue whose messages start the agent `orders`, and a table that it records them in. */
export function addPipeline(stack: Stack, props: CadreEnvironmentProps): void {
  const table = new Table(stack, 'Orders', {
    partitionKey: { name: 'number', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
  });
  const recordOrder = addFunction(stack, 'RecordOrder', 'record-order', { ORDERS: table.tableName });
  table.grant(recordOrder, 'dynamodb:PutItem');

  const cadre = new CadreEnvironment(stack, 'Cadre', {
    ...props,
    functions: { 'record-order': recordOrder },
  });

  // A message that three deliveries have not started lies in the second queue for two weeks.
  const lost = new Queue(stack, 'Lost', { enforceSSL: true, retentionPeriod: Duration.days(14) });
  const inbox = new Queue(stack, 'Inbox', {
    enforceSSL: true,
    visibilityTimeout: Duration.minutes(1),
    deadLetterQueue: { queue: lost, maxReceiveCount: 3 },
  });
  const start = addFunction(stack, 'Start', 'start', { MACHINE: cadre.machine.stateMachineArn });
  // At most so many runs begin at once, however many messages there are.
  start.addEventSource(new SqsEventSource(inbox, { reportBatchItemFailures: true, maxConcurrency: 5 }));
  cadre.machine.grantStartExecution(start);
  new CfnOutput(stack, 'InboxUrl', { value: inbox.queueUrl });
}

function addFunction(stack: Stack, id: string, folder: string, environment: Record<string, string>) {
  return new LambdaFunction(stack, id, {
    code: Code.fromAsset(join(import.meta.dirname, '../functions', folder)),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(10),
    environment,
  });
}
