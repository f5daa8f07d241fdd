import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Function as LambdaFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import * as v from 'valibot';
import { moduleFunctionName, moduleFunctionPart } from '../src/places/aws/deployment.ts';
import { ENVIRONMENT } from '../src/places/aws/variables.ts';
import { ConfigError } from '../src/errors.ts';
import { hintAt } from '../src/nearest.ts';
import { secretsNamed } from '../src/core/records/secrets.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseFunction } from './house-function.ts';
import type { DeployedAgents, Project, UserModule } from './project.ts';

export interface UserFunctionsProps {
  settings: EnvironmentSettings;
  project: Project;
  /** Functions of the app, by the names that agents call them by in `function = "…"`. */
  given: Readonly<Record<string, IFunction>>;
  /** Absolute: what each function's zip holds, a folder each. */
  functionsFolder: string;
}

/**
 * The functions that agents name in `[[functions]]`: a function for each module, which may do nothing but write its own
 * log, until something is granted to it; and those that exist already, in the app or elsewhere.
 *
 * A module's variables are set as agents write them. One that refers to a secret is for the app to set, since this
 * machine's secrets have no place in a template: synthesis fails if it has not.
 */
export class UserFunctions extends Construct {
  /** Those that are made of modules, by the name that models call them by. */
  readonly modules: Readonly<Record<string, LambdaFunction>>;
  /** Names and ARNs of functions elsewhere, as agents write them. */
  readonly existing: readonly string[];
  /** ARNs by the names that agents have for them. */
  readonly #given: ReadonlyMap<string, string>;

  constructor(scope: Construct, id: string, props: UserFunctionsProps) {
    super(scope, id);
    const { settings, project, given, functionsFolder } = props;
    for (const { name } of project.modules) assertShort(name, settings.name);
    this.modules = Object.fromEntries(
      project.modules.map((module) => [module.name, moduleFunction(this, module, settings, functionsFolder)]),
    );
    const named = existingOf(project.everyAgent);
    assertUsed(Object.keys(given), named);
    this.#given = new Map(Object.entries(given).map(([name, { functionArn }]) => [name, functionArn]));
    this.existing = named.filter((written) => !this.#given.has(written));
  }

  /**
   * Lets the function of tools call these functions, and no others.
   * @param existing those that exist elsewhere: `existing`, and what earlier deployments had
   */
  openTo(handler: LambdaFunction, existing: readonly string[]): void {
    const invoked = [
      // Its versions; executions that began with an earlier release go by the function itself.
      ...Object.values(this.modules).flatMap(({ functionArn }) => [functionArn, `${functionArn}:*`]),
      ...this.#given.values(),
      ...existing.map((written) => arnOf(written, Stack.of(this))),
    ];
    if (invoked.length === 0) return;
    handler.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: invoked }));
    // Published versions, so that no code is changed under a running execution. Their ARNs would fill the 4 KB that Lambda
    // takes of variables with thirty modules.
    const versions = Object.entries(this.modules).map(([name, made]) => [
      moduleFunctionPart(name),
      made.currentVersion.version,
    ]);
    const known = [...this.#given, ...versions];
    if (known.length === 0) return;
    handler.addEnvironment(ENVIRONMENT.functions, Stack.of(this).toJsonString(Object.fromEntries(known)));
  }
}

function moduleFunction(
  scope: Construct,
  { name, description, seconds, env }: UserModule,
  settings: EnvironmentSettings,
  functionsFolder: string,
): LambdaFunction {
  const made = new HouseFunction(scope, name, {
    settings,
    functionsFolder,
    name: moduleFunctionPart(name),
    description,
    memoryMb: 512,
    timeout: Duration.seconds(seconds),
    isTraced: false,
  });
  // The Region and the credentials of a machine are Lambda's own there.
  const variables = Object.entries(env).filter(([variable]) => !variable.startsWith('AWS_'));
  for (const [variable, value] of variables) {
    if (secretsNamed([value]).length === 0) made.addEnvironment(variable, value);
  }
  made.node.addValidation({
    validate() {
      const given = variablesOf(made);
      return variables
        .filter(([variable]) => !given.includes(variable))
        .map(
          ([variable]) =>
            `function "${name}" needs the variable ${variable}: set it in the app with cadre.functions['${name}'].addEnvironment('${variable}', …), or keep its agents out of accounts (localAgents)`,
        );
    },
  });
  return made;
}

const Environment = v.object({ variables: v.record(v.string(), v.unknown()) });

/** The names of all variables that a function has once the app is made. */
function variablesOf(made: LambdaFunction): string[] {
  const { defaultChild } = made.node;
  if (!(defaultChild instanceof CfnFunction)) return [];
  const { variables } = v.parse(Environment, Stack.of(made).resolve(defaultChild.environment));
  return Object.keys(variables);
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

/** @throws {ConfigError} for a name of the app that no deployed agent has, which would be misspelt on either side */
function assertUsed(given: readonly string[], named: readonly string[]): void {
  const unused = given.find((name) => !named.includes(name));
  if (unused === undefined) return;
  throw new ConfigError(
    `CadreEnvironment.functions["${unused}"]: no deployed agent has function = "${unused}" in [[functions]]${hintAt(unused, named)}`,
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
