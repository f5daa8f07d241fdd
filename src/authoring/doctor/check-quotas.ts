import { messageOf } from '../../errors.ts';
import type { AgentPlan } from '../plan/plan.ts';
import { TRANSITIONS_PER_SECOND, LARGEST_REGIONS } from '../plan/throughput.ts';
import { check, ok, warning, type Finding, type Observation } from './finding.ts';

/** What the agents of a folder need of an account. */
export interface Needs {
  plans: readonly AgentPlan[];
  /** How many agents have a schedule, which may all be due at once. */
  schedules: number;
}

/** A quota of a service, and what it is for here. */
interface Quota {
  /** As Service Quotas calls the service, and how the name of the quota begins there. */
  service: string;
  name: string;
  /** What is documented for a Region, which new accounts may have less of. */
  documented: (region: string) => number;
  /** Whether a value suffices, and for what. */
  judge: (value: number, needs: Needs) => { suffices: boolean; found: string };
}

/** For what one tree takes at once, or has. */
const atOnce =
  (takes: (agent: string) => string, count: (plan: AgentPlan) => number): Quota['judge'] =>
  (value, { plans }) => {
    const { agent, most } = largest(plans, count);
    return { suffices: most <= value, found: `${number(value)} at once; ${takes(agent)} ${number(most)}` };
  };

/** For what trees take as they go: how many of the most expensive may begin each second. */
const perSecond =
  (unit: string, count: (plan: AgentPlan) => number): Quota['judge'] =>
  (value, { plans }) => {
    const { agent, most } = largest(plans, count);
    const trees = value / most;
    return {
      suffices: trees >= 1,
      found: `${number(value)} ${unit} a second: ${number(trees)} trees of ${agent} may begin each second`,
    };
  };

/** Standard executions: leaves in Express ones are not counted. */
const executionsOf = ({ expected: { use } }: AgentPlan) => use.executions - use.leafRuns;

const isLargest = (region: string) => LARGEST_REGIONS.includes(region);

/** Regions in which EventBridge Scheduler makes more calls ("Quotas for Amazon EventBridge Scheduler"). */
const SCHEDULING =
  /^(us-east-[12]|us-west-2|ap-(northeast|south|southeast)-1|ap-southeast-2|eu-central-1|eu-west-[12]|sa-east-1)$/;

/** Regions in which API Gateway takes fewer requests ("Amazon API Gateway quotas"). */
const SMALL_GATEWAYS =
  /^(af-south-1|eu-south-[12]|eu-central-2|ap-southeast-[3457]|ap-south-2|me-central-1|il-central-1|ca-west-1|mx-central-1)$/;

/** The requests that the API lets in a second, those who follow runs aside (infra/api.ts). */
const API_RATE = 50;

const QUOTAS: readonly Quota[] = [
  {
    service: 'states',
    name: 'StartExecution throttle token bucket size',
    documented: (region) => (isLargest(region) ? 1_300 : 800),
    judge: atOnce(
      (agent) => `a tree of ${agent} starts`,
      ({ turnsAtOnce }) => turnsAtOnce.expected,
    ),
  },
  {
    service: 'states',
    name: 'StopExecution throttle token bucket size',
    documented: (region) => (isLargest(region) ? 1_000 : 250),
    judge: atOnce((agent) => `stopping a tree of ${agent} takes`, executionsOf),
  },
  {
    service: 'states',
    name: 'StateTransition throttle token refill rate per second',
    documented: (region) => TRANSITIONS_PER_SECOND[isLargest(region) ? 'largest' : 'others'],
    judge: perSecond('state transitions', ({ expected }) => expected.use.transitions),
  },
  {
    service: 'states',
    name: 'Open executions',
    documented: () => 1_000_000,
    judge: atOnce((agent) => `a tree of ${agent} has`, executionsOf),
  },
  {
    service: 'dynamodb',
    name: 'Table-level read throughput limit',
    documented: () => 40_000,
    judge: perSecond('read units', ({ expected }) => expected.use.tableReads),
  },
  {
    service: 'dynamodb',
    name: 'Table-level write throughput limit',
    documented: () => 40_000,
    judge: perSecond('write units', ({ expected }) => expected.use.tableWrites),
  },
  {
    service: 'scheduler',
    name: 'Invocations throttle limit',
    documented: (region) => (SCHEDULING.test(region) ? 1_000 : 500),
    judge: (value, { schedules }) => ({
      suffices: schedules <= value,
      found: `${number(value)} a second; ${number(schedules)} schedules may be due at once`,
    }),
  },
  {
    service: 'apigateway',
    name: 'Throttle rate',
    documented: (region) => (SMALL_GATEWAYS.test(region) ? 2_500 : 10_000),
    judge: (value) => ({
      suffices: value >= API_RATE,
      found: `${number(value)} requests a second for all APIs; this one takes ${API_RATE}, and more of those who follow runs`,
    }),
  },
];

/**
 * Holds the account's quotas against what `cadre plan` expects of the agents. Where one cannot be asked for, what is
 * documented for the Region is taken.
 * @param read the quotas of a service by their names, as far as they are known
 */
export async function checkQuotas(
  region: string,
  needs: Promise<Needs>,
  read: (service: string) => Promise<ReadonlyMap<string, number>>,
): Promise<Finding[]> {
  const services = [...new Set(QUOTAS.map(({ service }) => service))];
  const faults = new Set<string>();
  const asked = services.map(async (service) => {
    const quotas = await read(service).catch((thrown: unknown): ReadonlyMap<string, number> => {
      faults.add(messageOf(thrown));
      return new Map();
    });
    return [service, quotas] as const;
  });
  const known = new Map(await Promise.all(asked));
  const findings = QUOTAS.map((quota) =>
    check(`quota ${quota.name}`, async () => {
      const applied = [...(known.get(quota.service) ?? [])].find(([name]) => name.startsWith(quota.name));
      return observe(quota, applied?.[1], region, await needs);
    }),
  );
  const [fault] = faults;
  if (fault !== undefined) {
    findings.unshift(
      check('quotas', () =>
        warning(
          fault,
          'allow servicequotas:ListServiceQuotas: until then, what is documented for the Region is taken',
        ),
      ),
    );
  }
  return Promise.all(findings);
}

function observe(quota: Quota, applied: number | undefined, region: string, needs: Needs): Observation {
  const { suffices, found } = quota.judge(applied ?? quota.documented(region), needs);
  const text = applied === undefined ? `${found} (as documented for ${region})` : found;
  if (suffices) return ok(text);
  return warning(text, `ask Service Quotas for an increase of "${quota.name}" of "${quota.service}"`);
}

/** The agent whose tree needs the most. */
function largest(
  plans: readonly AgentPlan[],
  count: (plan: AgentPlan) => number,
): { agent: string; most: number } {
  const sorted = [...plans].sort((one, other) => count(other) - count(one));
  const [first] = sorted;
  return first === undefined
    ? { agent: 'no agent', most: 0 }
    : { agent: `"${first.agent}"`, most: count(first) };
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
}
