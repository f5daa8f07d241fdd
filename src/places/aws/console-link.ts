import { isExpress } from '../../core/machine/express.ts';

/** Each partition of AWS has a console of its own. */
const CONSOLES: Partial<Record<string, string>> = {
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
};

/** Where an execution can be followed step by step: its page in the console of Step Functions. */
export function consoleLink(executionArn: string): string {
  const [, partition = '', , region = ''] = executionArn.split(':');
  const console = CONSOLES[partition] ?? 'console.aws.amazon.com';
  const kind = isExpress(executionArn) ? 'express-executions' : 'v2/executions';
  return `https://${region}.${console}/states/home?region=${region}#/${kind}/details/${executionArn}`;
}
