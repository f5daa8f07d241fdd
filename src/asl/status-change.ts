import { randomUUID } from 'node:crypto';
import { Buffer } from 'node:buffer';
import type { Execution, ExecutionStatus } from './execution.ts';

/** The event by which EventBridge tells that an execution has started or ended. */
export interface StatusChangeEvent {
  version: '0';
  id: string;
  'detail-type': 'Step Functions Execution Status Change';
  source: 'aws.states';
  account: string;
  /** ISO 8601. */
  time: string;
  region: string;
  resources: [executionArn: string];
  detail: {
    executionArn: string;
    stateMachineArn: string;
    name: string;
    status: ExecutionStatus;
    /** Milliseconds since the epoch. */
    startDate: number;
    /** Milliseconds since the epoch; null while it runs. */
    stopDate: number | null;
    /** JSON text; null if it is left out for its size. */
    input: string | null;
    inputDetails: { included: boolean } | null;
    /** JSON text; null if there is none or it is left out for its size. */
    output: string | null;
    outputDetails: { included: boolean } | null;
    error: string | null;
    cause: string | null;
  };
}

/** Input and output together may take 248 KiB; above that the service leaves them out. */
const MAX_DATA_BYTES = 248 * 1024;

export function toStatusChangeEvent(execution: Execution, account: string): StatusChangeEvent {
  const { seed, status, startDate, stopDate = null, error = null, cause = null } = execution;
  const input = JSON.stringify(seed.input);
  const output = execution.output === undefined ? null : JSON.stringify(execution.output);
  const included = Buffer.byteLength(input) + Buffer.byteLength(output ?? '') <= MAX_DATA_BYTES;
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account,
    time: new Date(stopDate ?? startDate).toISOString(),
    region: execution.environment.region,
    resources: [seed.executionArn],
    detail: {
      executionArn: seed.executionArn,
      stateMachineArn: seed.stateMachineArn,
      name: seed.name,
      status,
      startDate,
      stopDate,
      input: included ? input : null,
      inputDetails: { included },
      output: included ? output : null,
      outputDetails: output === null ? null : { included },
      error,
      cause,
    },
  };
}
