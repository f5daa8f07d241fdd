import { loadAgentGraph } from '../plan/agent-graph.ts';
import { USUAL_CONCURRENCY } from '../plan/limits.ts';
import { planAgent } from '../plan/plan.ts';
import { isLocal, PROVIDER_NAMES } from '../../core/model/model-name.ts';
import { counted } from '../../counted.ts';
import { findDeployment } from '../../places/aws/cloud-deployment.ts';
import { createSendSigned } from '../../places/aws/cloud-requests.ts';
import type { Deployment } from '../../places/aws/deployment.ts';
import {
  askServer,
  countDeadLetters,
  functionQuota,
  readKeys,
  subscribersOf,
} from '../../places/aws/environment-facts.ts';
import { readQuotas } from '../../places/aws/service-quotas.ts';
import { openCloudStore } from '../../places/aws/store/cloud-store.ts';
import { readLastSweep } from '../../places/store/last-sweep.ts';
import { modelFor } from '../../places/models/registry.ts';
import type { LocalSources } from '../loading/local-sources.ts';
import { limitsPerDay } from '../../core/records/limits-per-day.ts';
import { checkLimits } from './check-limits.ts';
import { checkModels } from './check-models.ts';
import { checkQuotas, type Needs } from './check-quotas.ts';
import { check, ok, warning, wrong, type Finding } from './finding.ts';

/** Twice the time between two sweeps, and their own. */
const SWEEP_LATE_MS = 12 * 60_000;
/** Signatures are refused when clocks differ by five minutes. */
const SKEW_MS = 60_000;
/** Providers without a key in the secret. */
const KEYLESS = new Set(['bedrock', 'offline']);

/** This release and folder, which the environment is compared with. */
export interface Here {
  version: string;
  sources: LocalSources;
  /** The models that agents of the folder name. */
  models: readonly string[];
  now: number;
}

/** @throws {ConfigError} if there is no such environment */
export async function checkEnvironment(env: string, here: Here): Promise<Finding[]> {
  const deployment = await findDeployment(env);
  const { region, upkeep } = deployment;
  const { runs, table } = openCloudStore({ ...deployment, bucket: deployment.bucketName });
  const deploy = `npx cdk deploy -c env=${env}`;
  const needs = needsOf(here);
  const quotas = checkQuotas(region, needs, (service) => readQuotas(region, service));
  const findings = [
    check('version', () => {
      if (upkeep === undefined) return warning('an earlier release', `the rest is not known: ${deploy}`);
      if (upkeep.version === here.version) return ok(upkeep.version);
      return warning(`${upkeep.version} is deployed, and this is ${here.version}`, deploy);
    }),
    check('pause', async () => {
      const pause = await runs.pause();
      if (pause === undefined) return ok('not paused');
      const why = pause.reason === undefined ? '' : ` (${pause.reason})`;
      return wrong(`paused by ${pause.by} since ${pause.at}${why}`, pause.release);
    }),
    check('sweep', async () => {
      const at = (await readLastSweep(table))?.at;
      if (at === undefined) return warning('none is known', 'look again in five minutes');
      if (here.now - Date.parse(at) <= SWEEP_LATE_MS) return ok(`the last one was at ${at}`);
      return wrong(
        `the last one was at ${at}`,
        'look into the log of settle, and whether the rule of the sweep is on',
      );
    }),
    check('functions', async () => {
      const { all, unreserved } = await functionQuota(region);
      const { plans } = await needs;
      const needed = Math.max(0, ...plans.map(({ turnsAtOnce }) => turnsAtOnce.expected));
      const found = `${all} may run at once, ${unreserved} of them unreserved; the widest agent needs ${needed}`;
      if (needed <= all) return ok(found);
      return wrong(
        found,
        'have the quota "Concurrent executions" of Lambda raised; cadre plan says what needs so many',
      );
    }),
    ...serverChecks(deployment),
    ...(upkeep === undefined ? [] : upkeepChecks(env, region, upkeep)),
  ];
  const keys = upkeep === undefined ? [] : await keyFindings(env, region, upkeep.keysSecretArn, here);
  const limits = await checkLimits(limitsPerDay(deployment.limits ?? {}) ?? {}, runs, here.now, env);
  return [...(await Promise.all(findings)), ...limits, ...(await quotas), ...keys];
}

function upkeepChecks(
  env: string,
  region: string,
  upkeep: NonNullable<Deployment['upkeep']>,
): Promise<Finding>[] {
  const told = (what: string, topic: string) =>
    check(what, async () => {
      const { confirmed, pending } = await subscribersOf(region, topic);
      const found = `${counted(confirmed, 'subscriber')}${pending > 0 ? `, ${pending} unconfirmed` : ''}`;
      if (confirmed > 0) return ok(found);
      const advice = pending > 0 ? 'confirm the mail that SNS has sent' : `subscribe to ${topic}`;
      return wrong(found, advice);
    });
  return [
    check('dead letters', async () => {
      const count = await countDeadLetters(region, upkeep.deadLettersUrl);
      return count === 0 ? ok('none') : wrong(`about ${count}`, `cadre dead-letters --env ${env}`);
    }),
    told('alarms', upkeep.alarmTopicArn),
    ...(upkeep.pageTopicArn === upkeep.alarmTopicArn ? [] : [told('pages', upkeep.pageTopicArn)]),
  ];
}

function serverChecks({ region, apiUrl, doorsUrl, takesSignatures }: Deployment): Promise<Finding>[] {
  const ask = (service: 'execute-api' | 'lambda', url: URL) =>
    askServer(url, takesSignatures ? createSendSigned(service, region) : fetch);
  // A caller without a token is sent away: from the API before any function, and from the doors by theirs.
  const isUp = (status: number) => status === 200 || (!takesSignatures && status === 401);
  const api = check('API and clocks', async () => {
    const { status, aheadMs } = await ask('execute-api', new URL('/health', apiUrl));
    const seconds = Math.round(aheadMs / 1000);
    if (Math.abs(aheadMs) > SKEW_MS) {
      return wrong(
        `the clock of this machine is ${seconds} s ahead`,
        'set the clock: signatures are refused',
      );
    }
    if (isUp(status)) return ok(`answers; clocks differ by ${Math.abs(seconds)} s`);
    return wrong(`answers ${status}`, 'a 403 is a matter of your permissions; else see the log of api');
  });
  if (doorsUrl === undefined) return [api];
  const doors = check('doors', async () => {
    const { status } = await ask('lambda', new URL('/v1/models', doorsUrl));
    if (isUp(status)) return ok('answer');
    return wrong(
      `answer ${status}`,
      'a 403 is a matter of your permissions, a 429 of apiConcurrency; else see the log of doors',
    );
  });
  return [api, doors];
}

async function keyFindings(env: string, region: string, secret: string, here: Here): Promise<Finding[]> {
  const deployed = here.models.filter((model) => !isLocal(model));
  const providers = [...new Set(deployed.map(providerOf))].filter((provider) => !KEYLESS.has(provider));
  let keys: ReadonlyMap<string, string> = new Map();
  const set = await check('keys', async () => {
    keys = await readKeys(region, secret);
    const missing = providers.filter((provider) => !keys.get(provider));
    if (missing.length === 0)
      return ok(providers.length === 0 ? 'none is needed' : `set for ${providers.join(', ')}`);
    return wrong(`none for ${missing.join(', ')}`, `add it to the secret KeysSecret of environment "${env}"`);
  });
  // Where others are, only the environment's own settings say.
  const reachable = deployed.filter((model) => keys.get(providerOf(model)) && isKnown(providerOf(model)));
  const models = await checkModels(reachable, {
    open: (model) =>
      modelFor(model, {
        apiKey: (provider) => keys.get(provider),
        baseUrl: () => undefined,
        fetch,
        scripted: () => {
          throw new TypeError('scripts are played here alone');
        },
      }),
  });
  return [set, ...models];
}

function providerOf(model: string): string {
  return model.split('/')[0] ?? '';
}

function isKnown(provider: string): boolean {
  return PROVIDER_NAMES.some((name) => name === provider);
}

/** What `cadre plan` expects of the agents of this folder, and how many of them have a schedule. */
async function needsOf({ sources: { source, prices, providers } }: Here): Promise<Needs> {
  const names = await source.list();
  const graph = await loadAgentGraph(names, source, providers);
  const known = names.filter((name) => graph.agents.has(name));
  const plans = await Promise.all(known.map((name) => planAgent(name, graph, USUAL_CONCURRENCY, prices)));
  const schedules = known.filter((name) => graph.agents.get(name)?.schedule?.enabled === true).length;
  return { plans, schedules };
}
