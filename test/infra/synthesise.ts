import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { vi } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { CadreStack, type CadreStackProps } from '../../infra/cadre-stack.ts';
import { environmentOf } from '../../infra/written-environments.ts';
import { makeFolder } from '../fixtures/temp-folder.ts';

/** A resource as it is in a template. */
export type Resource = v.InferOutput<typeof resourceSchema>;

const statementSchema = v.object({
  Action: v.union([v.string(), v.array(v.string())]),
  Resource: v.unknown(),
  Condition: v.optional(v.unknown()),
});
const resourceSchema = v.looseObject({
  Type: v.string(),
  DeletionPolicy: v.optional(v.string()),
  UpdateReplacePolicy: v.optional(v.string()),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
});
const policySchema = v.object({
  PolicyDocument: v.object({ Statement: v.array(statementSchema) }),
  Roles: v.array(v.object({ Ref: v.string() })),
});

/** A function such as `Fn::Select`, and what it is given. */
const functionSchema = v.tuple([v.tuple([v.pipe(v.string(), v.startsWith('Fn::')), v.unknown()])]);

/** The permissions of one role. */
export interface Grant {
  action: string;
  /** The resources, as `readable` gives them. */
  resource: string;
  condition?: unknown;
}

export interface Synthesised {
  template: Template;
  /** Whether the stack cannot be deleted before a person allows it. */
  isProtected: boolean;
  /** Every resource of a type, by its id. */
  resources(type: string): Map<string, Resource>;
  /** The grants of the role whose id starts like this. */
  grantsOf(rolePrefix: string): Grant[];
}

/**
 * The template of an environment of cdk.json, changed by `settings`.
 * @param agents the texts of agents' files by name
 * @param modules those of modules by path
 */
export async function synthesise(
  name: string,
  {
    settings = {},
    agents = {},
    modules = {},
  }: {
    settings?: Partial<CadreStackProps>;
    agents?: Record<string, string>;
    modules?: Record<string, string>;
  } = {},
): Promise<Synthesised> {
  const folder = await makeFolder({
    agents: { folder: true },
    ...Object.fromEntries(Object.entries(agents).map(([agent, text]) => [`agents/${agent}.toml`, text])),
    ...modules,
  });
  try {
    const stack = new CadreStack(testApp(folder), `cadre-${name}`, {
      ...environmentOf(name, cdk.context.environments),
      agentsFolder: join(folder, 'agents'),
      ...settings,
    });
    return inspect(stack);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param folder where its assembly is written */
export function testApp(folder: string): App {
  // The rules that CDK holds every template to take a second each time; `cdk synth` goes by them.
  vi.stubEnv('CDK_VALIDATION', 'false');
  // Nor does a template depend on whether the functions' code is copied.
  return new App({ outdir: join(folder, 'cdk.out'), context: { [DISABLE_ASSET_STAGING_CONTEXT]: true } });
}

export function inspect(stack: Stack): Synthesised {
  const template = Template.fromStack(stack);
  const isProtected = stack.terminationProtection ?? false;
  const resources = (type: string) =>
    new Map(
      Object.entries(template.findResources(type)).map(([id, resource]) => [
        id,
        v.parse(resourceSchema, resource),
      ]),
    );
  return {
    template,
    isProtected,
    resources,
    grantsOf(rolePrefix) {
      return [...resources('AWS::IAM::Policy').values()].flatMap(({ Properties }) => {
        const { PolicyDocument, Roles } = v.parse(policySchema, Properties);
        if (!Roles.some(({ Ref }) => Ref.startsWith(rolePrefix))) return [];
        return PolicyDocument.Statement.flatMap(({ Action, Resource, Condition }) =>
          [Action].flat().flatMap((action) =>
            [Resource].flat().map((resource) => ({
              action,
              resource: readable(resource),
              ...(Condition !== undefined && { condition: Condition }),
            })),
          ),
        );
      });
    },
  };
}

/**
 * A value of a template as one text: `<StoreTable.Arn>`, `arn:<AWS::Partition>:states:…:cadre-dev`. Ids are without the
 * digest that CDK ends them in.
 */
export function readable(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  const join = v.safeParse(v.object({ 'Fn::Join': v.tuple([v.string(), v.array(v.unknown())]) }), value);
  if (join.success) return join.output['Fn::Join'][1].map(readable).join(join.output['Fn::Join'][0]);
  const attribute = v.safeParse(v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.string()]) }), value);
  if (attribute.success) {
    const [id, name] = attribute.output['Fn::GetAtt'];
    return `<${withoutDigest(id)}.${name}>`;
  }
  const reference = v.safeParse(v.object({ Ref: v.string() }), value);
  if (reference.success) return `<${withoutDigest(reference.output.Ref)}>`;
  const [name, given] = v.parse(functionSchema, Object.entries(Object(value)))[0];
  return `<${name} ${[given].flat(2).map(readable).join(' ')}>`;
}

function withoutDigest(id: string): string {
  return id.replace(/(?:[0-9A-F]{8}|[0-9A-F]{8}[0-9a-f]{32})$/, '');
}
