import * as v from 'valibot';
import type { Stack } from './stack.ts';

const oneOrMany = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((given) => [given].flat()),
);
const Policy = v.object({
  PolicyDocument: v.object({
    Statement: v.array(
      v.object({ Effect: v.picklist(['Allow', 'Deny']), Action: oneOrMany, Resource: oneOrMany }),
    ),
  }),
});

/** @returns whether any role of a stack allows an action on the resource with this ARN */
export function grantsIn(stack: Stack): (action: string, arn: string) => boolean {
  // What has no room in the policy of a role is in managed ones.
  const statements = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => stack.resources(type))
    .flatMap((properties) => v.parse(Policy, properties).PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === 'Allow');
  return (action, arn) =>
    statements.some(
      ({ Action, Resource }) => Action.includes(action) && Resource.some((pattern) => fits(pattern, arn)),
    );
}

function fits(pattern: string, arn: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(arn);
}
