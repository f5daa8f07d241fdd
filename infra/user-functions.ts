import { writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { moduleFunctionName, moduleFunctionPart } from '../src/deployment.ts';
import { ConfigError } from '../src/errors.ts';
import { bundleModule } from '../src/workspace/bundle-module.ts';
import { findModule } from '../src/workspace/module-file.ts';
import type { DeployedAgents } from './deployed-agents.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseFunction } from './house-function.ts';

export interface UserFunctionsProps {
  settings: EnvironmentSettings;
  agents: DeployedAgents;
  /** Absolute: what each function's zip holds, a folder each. */
  functionsFolder: string;
}

/**
 * The functions that agents name in `[[functions]]`: a function for each module, which may do nothing but write its own
 * log, until something is granted to it; and those that exist already.
 */
export class UserFunctions extends Construct {
  /** Those that are made of modules, by the name that agents call them by. */
  readonly modules: ReadonlyMap<string, LambdaFunction>;
  readonly #invoked: string[];

  constructor(scope: Construct, id: string, { settings, agents, functionsFolder }: UserFunctionsProps) {
    super(scope, id);
    const modules = modulesOf(agents);
    for (const { name } of modules) assertShort(name, settings.name);
    this.modules = new Map(
      modules.map(({ name, description, seconds }) => [
        name,
        new HouseFunction(this, name, {
          settings,
          functionsFolder,
          name: moduleFunctionPart(name),
          description,
          memoryMb: 512,
          timeout: Duration.seconds(seconds),
          isTraced: false,
        }),
      ]),
    );
    this.#invoked = [
      ...[...this.modules.values()].map(({ functionArn }) => functionArn),
      ...existingOf(agents).map((written) => arnOf(written, Stack.of(this))),
    ];
  }

  /** Lets a function call these functions, and no others. */
  grantInvokeTo(handler: LambdaFunction): void {
    if (this.#invoked.length === 0) return;
    handler.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: this.#invoked }),
    );
  }
}

/**
 * Bundles the modules as they are deployed, a folder each.
 * @param folder absolute: where the functions are laid out
 * @throws {ConfigError} with the place of what is wrong in one of them
 */
export async function stageModules(folder: string, agents: DeployedAgents, project: string): Promise<void> {
  for (const { name, file } of modulesOf(agents)) {
    const text = await bundleModule({
      root: project,
      entry: await findModule(project, file),
      target: 'node24',
    });
    const own = join(folder, moduleFunctionPart(name));
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'index.mjs'), text);
  }
}

interface UserModule {
  name: string;
  description: string;
  file: string;
  seconds: number;
}

/**
 * Each module once, however many agents have it; the longest of their times is its own.
 * @throws {ConfigError} where a name stands for two modules
 */
function modulesOf(agents: DeployedAgents): UserModule[] {
  const modules = new Map<string, UserModule>();
  for (const [agent, loaded] of agents) {
    for (const { name, description, target } of loaded.agent.functions) {
      if (!('file' in target.source)) continue;
      const { file } = target.source;
      const other = modules.get(name);
      if (other !== undefined && other.file !== file) {
        throw new ConfigError(
          `agents/${agent}.toml: function "${name}" is ${file} here and ${other.file} for another agent: give one of them another name`,
        );
      }
      const seconds = Math.max(target.seconds, other?.seconds ?? 0);
      modules.set(name, { name, description: other?.description ?? description, file, seconds });
    }
  }
  return [...modules.values()];
}

/** Lambda's limit for names of functions. */
const MAX_NAME = 64;

/** @throws {ConfigError} where the name that a module's function would have is too long */
function assertShort(name: string, environment: string): void {
  const functionName = moduleFunctionName(environment, name);
  if (functionName.length <= MAX_NAME) return;
  throw new ConfigError(
    `function "${name}" would be ${functionName} in Lambda, which takes ${MAX_NAME} characters: give it a shorter name`,
  );
}

/** Names and ARNs as they are written, each once. */
function existingOf(agents: DeployedAgents): string[] {
  const written = [...agents.values()].flatMap(({ agent }) =>
    agent.functions.flatMap(({ target: { source } }) => ('function' in source ? [source.function] : [])),
  );
  return [...new Set(written)];
}

/** A version or an alias behind a name is a part of the ARN that is called. */
function arnOf(written: string, stack: Stack): string {
  if (written.startsWith('arn:')) return written;
  return stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: written,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
