import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import * as v from 'valibot';
import { vi } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { CadreStack, type CadreStackProps } from '../../infra/cadre-stack.ts';
import { environmentOf } from '../../infra/written-environments.ts';
import { PACKED_AGENTS } from '../../src/authoring/loading/folders/packed-agents.ts';

export const REGION = 'eu-central-1';
export const ACCOUNT = '123456789012';

/** Where the stack's API would be. */
export const API_URL = `https://a1b2c3d4e5.execute-api.${REGION}.amazonaws.com`;

/** Where the address of its doors would be. */
export const DOORS_URL = `https://a1b2c3d4e5f6.lambda-url.${REGION}.on.aws/`;

export type Properties = Record<string, unknown>;

/** A stack as CloudFormation would make it, with a name for everything in it. */
export interface Stack {
  /** Which deployment of its environment it is, from 1; every function gets a version of this number. */
  deployment: number;
  /** The properties of each resource of a type, with everything that they refer to resolved. */
  resources(type: string): Properties[];
  /** The same, by what a reference to each gives. */
  named(type: string): Map<string, Properties>;
  /** The name or ARN that a reference to the only resource of a type gives. */
  nameOf(type: string): string;
  /** Absolute: where the contents of a function's zip lie. */
  codeOf(functionProperties: Properties): string;
}

const Template = v.object({
  Resources: v.record(
    v.string(),
    v.object({
      Type: v.string(),
      Properties: v.optional(v.record(v.string(), v.unknown()), {}),
    }),
  ),
});
type Resource = v.InferOutput<typeof Template>['Resources'][string];

const PROJECT = join(import.meta.dirname, '../..');

/** What is deployed besides the agents that ship. */
export interface Deployed {
  /** The texts of agents' files by name. */
  agents: Record<string, string>;
  /** Those of modules, by name: `tools/<name>.ts`. */
  modules?: Record<string, string>;
  /** Other agents by name, which this share of new trees takes. */
  next?: { share: number; agents: Record<string, string> };
  /** The names of agents that the functions are deployed without. */
  lost?: readonly string[];
  /** Where servers are that say their own address, by those that agents name, which an account could reach. */
  servers?: Record<string, string>;
  /** Other ones than in cdk.json. */
  settings?: Partial<CadreStackProps>;
}

/**
 * Synthesises an environment of cdk.json with the functions' bundles as they were built.
 * @param folder where the cloud assembly is written
 * @param deployment as in `Stack`
 */
export async function synthesiseStack(
  environment: string,
  folder: string,
  { agents, modules = {}, next, lost = [], servers = {}, settings = {} }: Deployed,
  deployment: number,
): Promise<Stack> {
  // The project, as far as it is deployed.
  const agentsFolder = join(folder, 'agents');
  await cp(join(PROJECT, 'agents'), agentsFolder, { recursive: true });
  await writeAgents(agentsFolder, agents);
  const nextFolder = join(folder, 'agents-next');
  if (next !== undefined) await writeAgents(nextFolder, next.agents);
  await mkdir(join(folder, 'tools'), { recursive: true });
  for (const [name, text] of Object.entries(modules))
    await writeFile(join(folder, 'tools', `${name}.ts`), text);

  // The rules that CDK holds every template to take a second each time; `cdk synth` goes by them.
  vi.stubEnv('CDK_VALIDATION', 'false');
  const stackName = `cadre-${environment}`;
  const app = new App({ outdir: join(folder, 'cdk.out') });
  const { localAgents, environments } = cdk.context;
  new CadreStack(app, stackName, {
    ...environmentOf(environment, environments),
    agentsFolder,
    localAgents,
    doors: true,
    ...(next !== undefined && { rollout: { next: next.share, folder: nextFolder } }),
    ...settings,
  });
  const assembly = app.synth();
  await changeAgents(assembly.directory, lost, servers);
  const template = await readFile(join(assembly.directory, `${stackName}.template.json`), 'utf8');
  const { Resources } = v.parse(Template, JSON.parse(template));
  return { ...toStack(stackName, Resources, assembly.directory, deployment), deployment };
}

async function writeAgents(folder: string, agents: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(agents)) await writeFile(join(folder, `${name}.toml`), text);
}

/** No environment can be made whose agents call what is not there, or servers on this machine: it is changed afterwards. */
async function changeAgents(
  directory: string,
  lost: readonly string[],
  servers: Record<string, string>,
): Promise<void> {
  for (const entry of await readdir(directory)) {
    const path = join(directory, entry, PACKED_AGENTS);
    if (!existsSync(path)) continue;
    const packed = v.parse(v.record(v.string(), v.unknown()), JSON.parse(await readFile(path, 'utf8')));
    for (const name of lost) delete packed[name];
    const text = Object.entries(servers).reduce(
      (all, [named, real]) => all.replaceAll(named, real),
      JSON.stringify(packed),
    );
    await writeFile(path, text);
  }
}

function toStack(
  stackName: string,
  resources: Record<string, Resource>,
  directory: string,
  deployment: number,
): Omit<Stack, 'deployment'> {
  const find = (id: string): Resource => {
    const resource = resources[id];
    if (resource === undefined) throw new Error(`the template has no resource "${id}"`);
    return resource;
  };

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [[key, given] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0 && INTRINSIC.test(key)) return callIntrinsic(key, given);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner)]));
  }

  function callIntrinsic(name: string, given: unknown): unknown {
    switch (name) {
      case 'Ref':
        return reference(v.parse(v.string(), given));
      case 'Fn::GetAtt': {
        const [id, attribute] = v.parse(v.tuple([v.string(), v.string()]), given);
        return attributeOf(id, attribute);
      }
      case 'Fn::Join': {
        const [separator, parts] = v.parse(v.tuple([v.string(), v.array(v.unknown())]), given);
        return parts.map((part) => String(resolve(part))).join(separator);
      }
      case 'Fn::Sub':
        return v.parse(v.string(), given).replaceAll(/\$\{([^}]+)\}/g, (_, id: string) => reference(id));
      default:
        throw new Error(`the template uses ${name}, which is not known here`);
    }
  }

  function reference(id: string): string {
    const parameter = PSEUDO_PARAMETERS[id];
    if (parameter !== undefined) return parameter;
    const { Type, Properties } = find(id);
    switch (Type) {
      case 'AWS::Lambda::Function':
        return String(Properties['FunctionName'] ?? `${stackName}-${id}`);
      case 'AWS::Lambda::Version':
        return `${arn('lambda', `function:${String(resolve(Properties['FunctionName']))}`)}:${deployment}`;
      case 'AWS::S3::Bucket':
        return `${stackName}-${id}`.toLowerCase();
      case 'AWS::SecretsManager::Secret':
        return arn('secretsmanager', `secret:${id}-AbCdEf`);
      case 'AWS::StepFunctions::StateMachine':
        return arn('states', `stateMachine:${String(Properties['StateMachineName'])}`);
      default:
        return `${stackName}-${id}`;
    }
  }

  function attributeOf(id: string, attribute: string): string {
    const { Type } = find(id);
    if (attribute === 'ApiEndpoint') return API_URL;
    if (attribute === 'FunctionUrl') return DOORS_URL;
    if (attribute === 'Version') return String(deployment);
    if (attribute !== 'Arn') return `${reference(id)}.${attribute}`;
    if (Type === 'AWS::Lambda::Function') return arn('lambda', `function:${reference(id)}`);
    return arn(Type.split('::')[1]?.toLowerCase() ?? '', reference(id));
  }

  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  const named = (type: string) =>
    new Map(
      ofType(type).map(([id, { Properties }]) => [
        reference(id),
        v.parse(v.record(v.string(), v.unknown()), resolve(Properties)),
      ]),
    );
  return {
    named,
    resources: (type) => [...named(type).values()],
    nameOf(type) {
      const [only, ...others] = ofType(type);
      if (only === undefined || others.length > 0)
        throw new Error(`expected one ${type}, got ${others.length}`);
      return reference(only[0]);
    },
    codeOf({ Code }) {
      const { S3Key } = v.parse(v.object({ S3Key: v.string() }), Code);
      return join(directory, `asset.${S3Key.replace(/\.zip$/, '')}`);
    },
  };
}

const INTRINSIC = /^(Ref|Fn::\w+)$/;

const PSEUDO_PARAMETERS: Record<string, string> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}
