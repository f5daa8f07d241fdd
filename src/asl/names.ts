import { StatesApiError } from './executions/errors.ts';

/**
 * The service refuses these in a name: white space, brackets, wildcards, other special characters and control
 * characters.
 */
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

/** @throws StatesApiError InvalidName for a name that no state machine or execution may have */
export function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new StatesApiError(
    'InvalidName',
    `Invalid Name: '${name}' is not 1 to 80 letters, digits, hyphens and underscores`,
  );
}

const ARNS = {
  stateMachine: /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:stateMachine:[^:]+$/,
  execution: /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:(execution:[^:]+|express:[^:]+:[^:]+):[^:]+$/,
};

/** @throws StatesApiError InvalidArn */
export function checkArn(arn: string, type: keyof typeof ARNS): void {
  if (ARNS[type].test(arn)) return;
  const what = type === 'execution' ? 'an execution' : 'a state machine';
  throw new StatesApiError('InvalidArn', `Invalid Arn: '${arn}' is not the ARN of ${what}`);
}
