import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import * as v from 'valibot';
import type { Stack } from './stack.ts';

const oneOrMany = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((given) => [given].flat()),
);
const Policy = v.object({
  Roles: v.optional(v.array(v.string()), []),
  PolicyDocument: v.object({
    Statement: v.array(
      v.object({
        Effect: v.picklist(['Allow', 'Deny']),
        Action: oneOrMany,
        Resource: oneOrMany,
        Condition: v.optional(
          v.object({
            'ForAllValues:StringLike': v.optional(v.object({ 'dynamodb:LeadingKeys': oneOrMany })),
          }),
        ),
      }),
    ),
  }),
});

/** @returns whether any role of a stack allows an action on the resource with this ARN */
export function grantsIn(stack: Stack): (action: string, arn: string) => boolean {
  const statements = policiesIn(stack).flatMap(allowed);
  return (action, arn) =>
    statements.some(
      ({ Action, Resource }) => Action.includes(action) && Resource.some((pattern) => fits(pattern, arn)),
    );
}

function policiesIn(stack: Stack) {
  // What has no room in the policy of a role is in managed ones.
  const types = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'];
  return types.flatMap((type) => stack.resources(type)).map((properties) => v.parse(Policy, properties));
}

function allowed({ PolicyDocument }: v.InferOutput<typeof Policy>) {
  return PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow');
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

const Function = v.object({ FunctionName: v.string(), Role: v.string() });

/** @returns whether the function of this name may do this in a partition of the table */
function tableGrantsIn(stack: Stack): (name: string, action: string, partition: string) => boolean {
  const policies = policiesIn(stack);
  const roles = new Map(
    stack.resources('AWS::Lambda::Function').flatMap((given) => {
      const known = v.safeParse(Function, given);
      if (!known.success) return [];
      const role = known.output.Role.split(':').at(-1) ?? '';
      return [
        [known.output.FunctionName, policies.filter(({ Roles }) => Roles.includes(role)).flatMap(allowed)],
      ];
    }),
  );
  return (name, action, partition) =>
    (roles.get(name) ?? []).some(
      ({ Action, Condition }) =>
        Action.includes(action) &&
        (Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'].some((keys) =>
          fits(keys, partition),
        ) ??
          true),
    );
}

/** Notes what functions ask of a table that their roles do not allow them: IAM would refuse it. */
export function noteRefusals(database: Server, stack: () => Stack): Set<string> {
  const refused = new Set<string>();
  database.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const [, name] = / app\/(\S+)/.exec(request.headers['user-agent'] ?? '') ?? [];
    if (name === undefined) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('finish', () => {
      const [, operation = ''] = /\.(\w+)$/.exec(String(request.headers['x-amz-target'])) ?? [];
      const asked = String(Buffer.concat(chunks));
      const [, partition = ''] = /":?partition":\{"S":"(.*?)"\}/.exec(asked) ?? [];
      if (!tableGrantsIn(stack())(name, `dynamodb:${operation}`, partition))
        refused.add(`${name}: ${operation} of ${partition.replace(/#.*/, '#')}`);
    });
  });
  return refused;
}
