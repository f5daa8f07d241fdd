import {
  DeleteFunctionCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda';
import { DescribeStateMachineCommand, SFNClient, paginateListExecutions } from '@aws-sdk/client-sfn';
import { join } from 'node:path';
import { nameInArn } from '../../arn.ts';
import * as v from 'valibot';
import { dayAt } from '../../core/records/spent.ts';
import { moduleFunctionPart } from './deployment.ts';
import { ENVIRONMENT } from './variables.ts';
import { forgetGrants, GRANTS_FILE } from './kept-grants.ts';
import { askAws } from './aws-errors.ts';
import { findDeployment } from './cloud-deployment.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

/** The fate of the published versions of one function, oldest first. */
export interface FunctionVersions {
  /** The function's name. */
  name: string;
  removed: string[];
  kept: string[];
}

const DAY_MS = 86_400_000;

/**
 * An execution takes ten days at most, and one that failed can be redriven for 14 days after it ended (Step Functions,
 * "Redriving state machine executions"), with the definition that it began with.
 */
const REDRIVABLE_MS = 24 * DAY_MS;

/** A deployment publishes its versions some minutes before its machine names them. */
const DEPLOYING_MS = DAY_MS;

/**
 * Removes the versions of an environment's functions that no execution can call any more: those that its machine does
 * not name, and whose successors were there before every execution that may still continue began.
 * @param now milliseconds since 1970
 * @throws {ConfigError} if there is no such environment
 */
export async function removeUnusedVersions(
  environment: string,
  { dryRun, now }: { dryRun: boolean; now: number },
): Promise<FunctionVersions[]> {
  const { region, stateMachineArn } = await findDeployment(environment);
  const states = new SFNClient({ region, ...CLIENT_LIMITS });
  const lambda = new LambdaClient({ region, ...CLIENT_LIMITS });
  const named = await versionsNamedBy(stateMachineArn, states);
  for (const [arn, version] of await modulesNamedBy(named, lambda)) named.set(arn, new Set([version]));
  const since = Math.min(await oldestStart(stateMachineArn, states), now - REDRIVABLE_MS);

  const functions: FunctionVersions[] = [];
  for (const [functionArn, current] of named) {
    const versions = await publishedVersions(functionArn, lambda);
    const isUnused = ({ version }: Published, index: number) => {
      const successor = versions[index + 1];
      return !current.has(version) && successor !== undefined && successor.at + DEPLOYING_MS < since;
    };
    const removed = versions.filter(isUnused).map(({ version }) => version);
    const kept = versions.map(({ version }) => version).filter((version) => !removed.includes(version));
    if (!dryRun) for (const version of removed) await removeVersion(functionArn, version, lambda);
    functions.push({ name: nameInArn(functionArn), removed, kept });
  }
  return functions;
}

/**
 * Removes from the file beside cdk.json what no agent has named for so long that no run opened with it can continue:
 * its records have expired, unless they were written since, and no execution of it can be redriven.
 * @param folder where cdk.json is
 * @param now milliseconds since 1970
 * @returns what was forgotten, as agents named it
 * @throws {ConfigError} if there is no such environment
 */
export async function forgetUnusedGrants(
  environment: string,
  folder: string,
  { dryRun, now }: { dryRun: boolean; now: number },
): Promise<string[]> {
  const { keepDays } = await findDeployment(environment);
  const since = dayAt(now - Math.max(keepDays * DAY_MS, REDRIVABLE_MS));
  return forgetGrants(join(folder, GRANTS_FILE), environment, since, dryRun);
}

/** By the ARN of each function that the machine calls, the versions that its newest definition names. */
async function versionsNamedBy(
  stateMachineArn: string,
  states: SFNClient,
): Promise<Map<string, Set<string>>> {
  const command = new DescribeStateMachineCommand({ stateMachineArn });
  const { definition = '' } = await askAws(`describe ${stateMachineArn}`, () => states.send(command));
  const named = new Map<string, Set<string>>();
  for (const [, arn = '', version = ''] of definition.matchAll(/"(arn:[^"]+:function:[\w-]+):(\d+)"/g)) {
    named.set(arn, (named.get(arn) ?? new Set()).add(version));
  }
  return named;
}

const ModuleVersions = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/** The functions that are made of modules, each with the version that the newest tool function calls. */
async function modulesNamedBy(
  named: ReadonlyMap<string, ReadonlySet<string>>,
  lambda: LambdaClient,
): Promise<[arn: string, version: string][]> {
  const [arn, versions] = [...named].find(([one]) => nameInArn(one).endsWith('-tool')) ?? [];
  const [Qualifier] = versions ?? [];
  if (arn === undefined || Qualifier === undefined) return [];
  const command = new GetFunctionConfigurationCommand({ FunctionName: arn, Qualifier });
  const { Environment } = await askAws(`look at ${arn}:${Qualifier}`, () => lambda.send(command));
  const functions = v.parse(ModuleVersions, Environment?.Variables?.[ENVIRONMENT.functions] ?? '{}');
  return Object.entries(functions).flatMap(([name, versioned]) => {
    // Earlier releases deployed ARNs of versions.
    const [, version] = /(?:^|:)(\d+)$/.exec(versioned) ?? [];
    if (!name.startsWith(moduleFunctionPart('')) || version === undefined) return [];
    return [[arn.replace(/tool$/, name), version] satisfies [string, string]];
  });
}

/** When the oldest execution began that is under way; infinite if there is none. */
async function oldestStart(stateMachineArn: string, states: SFNClient): Promise<number> {
  return askAws(`list executions of ${stateMachineArn}`, async () => {
    let oldest = Infinity;
    const input = { stateMachineArn, statusFilter: 'RUNNING' as const };
    for await (const { executions = [] } of paginateListExecutions({ client: states }, input)) {
      for (const { startDate } of executions) oldest = Math.min(oldest, startDate?.getTime() ?? 0);
    }
    return oldest;
  });
}

interface Published {
  version: string;
  /** When, in milliseconds since 1970. */
  at: number;
}

/** Oldest first, without the unpublished one. */
async function publishedVersions(functionArn: string, lambda: LambdaClient): Promise<Published[]> {
  return askAws(`list versions of ${functionArn}`, async () => {
    const published: Published[] = [];
    const input = { FunctionName: functionArn };
    for await (const { Versions = [] } of paginateListVersionsByFunction({ client: lambda }, input)) {
      for (const { Version: version = '', LastModified = '' } of Versions) {
        // A date that cannot be read is later than all: nothing is removed for it.
        if (/^\d+$/.test(version)) published.push({ version, at: Date.parse(LastModified) || Infinity });
      }
    }
    return published.sort((one, other) => Number(one.version) - Number(other.version));
  });
}

/** Without a version, the whole function would go. */
async function removeVersion(functionArn: string, version: string, lambda: LambdaClient): Promise<void> {
  const command = new DeleteFunctionCommand({ FunctionName: functionArn, Qualifier: version });
  await askAws(`remove version ${version} of ${functionArn}`, () => lambda.send(command));
}
