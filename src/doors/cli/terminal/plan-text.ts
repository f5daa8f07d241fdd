import { MAX_EVENTS } from '../../../core/machine/costs.ts';
import { type Figure, figures } from '../../../authoring/plan/figures.ts';
import { FUNCTIONS, type FunctionFacts } from '../../../authoring/plan/functions.ts';
import { MAX_STATE_BYTES } from '../../../authoring/plan/limits.ts';
import type { Derived } from '../../../authoring/plan/reach.ts';
import { EXPECTED_TOOL_CALLS } from '../../../authoring/plan/behaviour.ts';
import type { ModelCost } from '../../../authoring/plan/model-costs.ts';
import type { AgentPlan, Amount } from '../../../authoring/plan/plan.ts';
import { LARGEST_REGIONS, runsPerSecond } from '../../../authoring/plan/throughput.ts';
import { PRICES } from '../../../authoring/plan/prices.ts';
import { DOCUMENT_KILOBYTES, LARGEST_DOCUMENT_KILOBYTES } from '../../../authoring/plan/use.ts';
import { MAX_SUBTASKS } from '../../../tools/delegation/delegate-task.ts';
import { count, counted } from '../../../counted.ts';
import { pricesOfServices } from './batches-text.ts';
import { inDollars } from './figures.ts';

const ROWS: [label: string, value: (amount: Amount) => string][] = [
  ['runs', ({ use }) => count(use.executions)],
  ['turns', ({ use }) => count(use.turns)],
  ['calls of sub-agents', ({ use }) => count(use.calls)],
  ['calls of tools', ({ use }) => count(use.toolCalls)],
  ['approvals', ({ use }) => count(use.approvals)],
  ['transitions', ({ use }) => count(use.transitions)],
  [`events of ${count(MAX_EVENTS)}`, ({ events }) => count(events)],
  [`state of ${MAX_STATE_BYTES / 1024} KB`, (amount) => `${(amount.stateBytes / 1024).toFixed(1)} KB`],
  ['Step Functions, 1,000 runs', ({ dollars }) => inDollars(1000 * dollars.stepFunctions)],
  ['Lambda', ({ dollars }) => inDollars(1000 * dollars.lambda)],
  ['DynamoDB', ({ dollars }) => inDollars(1000 * dollars.dynamoDb)],
  ['S3', ({ dollars }) => inDollars(1000 * dollars.s3)],
  ['API', ({ dollars }) => inDollars(1000 * dollars.api)],
  ['total, 1,000 runs', ({ dollars }) => inDollars(1000 * dollars.total)],
];

/** The plan of one agent, in lines. */
export function planText(plan: AgentPlan, concurrency: number): string[] {
  const residents = plan.residents === undefined ? [] : [priceOfResidents(plan.residents)];
  const facts: [label: string, ...lines: string[]][] = [
    ['Model', plan.model],
    ['Prices', ...plan.models.map(price)],
    ['Sub-agents', plan.within.join(', ')],
    ['Copies', ...plan.derived.map(copies)],
    ['Too deep', plan.beyond.join(', ')],
    ['Cycles', plan.cycles.map((way) => way.join(' > ')).join(', ')],
    ['Depth', `${plan.depth} (max_depth ${plan.maxDepth})`],
    [
      'At once',
      `${count(plan.turnsAtOnce.expected)} expected, ${counted(plan.turnsAtOnce.most, 'turn')} at most (${count(concurrency)} functions may run)`,
    ],
    ['Leaves', ...(plan.leaves === undefined ? [] : priceOfLeaves(plan.leaves))],
    ['Throughput', throughput(plan.expected)],
    ['Questions', ...(plan.question === undefined ? [] : [priceOfQuestions(plan.question)])],
    ['Batches', ...(plan.batches === undefined ? [] : [pricesOfServices(plan.batches)])],
    ['Background', ...(plan.background === undefined ? [] : [plan.background.join(', '), ...residents])],
    ['Commands', ...(plan.commands === undefined ? [] : [priceOfCommands(plan.commands)])],
    ['Forks', ...(plan.background === undefined ? residents : [])],
  ];
  return [
    plan.agent,
    ...facts.flatMap(([label, ...lines]) =>
      lines
        .filter((line) => line !== '')
        .map((line, index) => `  ${(index === 0 ? label : '').padEnd(12)}${line}`),
    ),
    columns('', ['expected', 'at most', 'alone at most']),
    ...ROWS.filter(([label]) => label !== 'approvals' || plan.mostOfTree.use.approvals > 0).map(
      ([label, value]) => columns(label, [plan.expected, plan.mostOfTree, plan.mostOfRun].map(value)),
    ),
  ];
}

/** `1,000 to people $0.0599, 2 transitions each, however long they wait`. */
function priceOfQuestions({ use, dollars }: NonNullable<AgentPlan['question']>): string {
  return `1,000 to people ${inDollars(1000 * dollars.total)}, ${count(use.transitions)} transitions each, however long they wait`;
}

/** `deployed, 1,000 of a minute $1.61, of the longest (12 minutes) $19.28, besides; local ones cost nothing`. */
function priceOfCommands({ minute, longest }: NonNullable<AgentPlan['commands']>): string {
  return `deployed, 1,000 of a minute ${inDollars(1000 * minute)}, of the longest (12 minutes) ${inDollars(1000 * longest)}, besides; local ones cost nothing`;
}

/** `1,000 with an answer $1.10, 1,000 messages that wake one $0.90; an idle fork costs nothing`. */
function priceOfResidents({ fork, message }: NonNullable<AgentPlan['residents']>): string {
  const dollars = ({ total }: { total: number }) => inDollars(1000 * total);
  return `1,000 with an answer ${dollars(fork)}, 1,000 messages that wake one ${dollars(message)}; an idle one costs nothing`;
}

/** `kid` and `1,000 runs $2.81 in Express executions (sub_agents_config.express), $5.09 in Standard ones`. */
function priceOfLeaves({ agents, standard, express }: NonNullable<AgentPlan['leaves']>): string[] {
  const dollars = ({ dollars: { total } }: Amount) => inDollars(1000 * total);
  return [
    agents.join(', '),
    `1,000 runs ${dollars(express)} in Express executions (sub_agents_config.express), ${dollars(standard)} in Standard ones`,
  ];
}

/** `37.3 such runs a second in us-east-1, us-west-2 and eu-west-1, 3.7 in other Regions`. */
function throughput({ use }: Amount): string {
  const { largest, others } = runsPerSecond(use);
  const perSecond = (runs: number) => (runs >= 10 ? count(Math.floor(runs)) : runs.toFixed(1));
  return `${perSecond(largest)} such runs a second in ${LARGEST_REGIONS.join(', ')}, ${perSecond(others)} in other Regions`;
}

/** `coder by spawn_agent down to level 2, 1 at once`. */
function copies({ agent, by, depth, atOnce }: Derived): string {
  return `${agent} by ${by} down to level ${depth}, ${count(atOnce)} at once`;
}

/** `openai/gpt-5.1 $1.25 in, $10.00 out`. */
function price({ model, usd }: ModelCost): string {
  if (usd === undefined) return `${model} not known`;
  if (usd.input + usd.output === 0) return `${model} free`;
  return `${model} ${inDollars(usd.input)} in, ${inDollars(usd.output)} out`;
}

/** The notes that a reader of a plan needs. */
export const SHORT_NOTES = [
  'expected: each agent calls each sub-agent once; at most: all that the limits allow; alone: without the runs below it',
  `dollars: ${PRICES.region}, ${PRICES.asOf}, without the models' tokens, logs and traces`,
  '--verbose prints what exactly is counted, and what each function may do',
];

/** The meaning of a plan's numbers, a line each. */
export const NOTES = [
  `expected: each agent calls each of its sub-agents once, and makes ${EXPECTED_TOOL_CALLS} calls of tools if it has any, then answers. With tools that make copies of it, forks included, it makes one with each, and ${MAX_SUBTASKS} with delegate_task; copies do the work themselves`,
  'copies: sub-agents that an agent derives from itself. What delegate_task asks for is a run of its own, which makes calls for its subtasks without asking a model',
  'prices: dollars for a million tokens of short prompts',
  `at most: 50 turns in each run, without an answer, and as many calls as the history has room for; further calls are refused, and the deadline ends the run sooner. Each text has the size that costs most in each service: ${LARGEST_DOCUMENT_KILOBYTES} KB in the table, and an object in S3`,
  'alone: the run without the runs below it',
  'throughput: as many runs, as expected, as the quota of state transitions of an account lets begin each second; new accounts have less, and it can be raised',
  'an error means that something is broken, or that one call of each sub-agent is already too much; a warning means that it could be too much if models made all the calls that they can',
  `dollars: ${PRICES.region}, ${PRICES.asOf}, each turn takes ${FUNCTIONS.turn.seconds}s and, as expected, ${DOCUMENT_KILOBYTES} KB; without the models' tokens, logs and traces`,
];

/** The permissions of each function, in lines. */
export function functionsText(models: readonly string[]): string[] {
  const onBedrock = models.filter((model) => model.startsWith('bedrock/'));
  return [
    'What each function may do',
    ...Object.entries<FunctionFacts>(FUNCTIONS).flatMap(([name, { may }]) => {
      const lines = Object.entries(may).map(([resource, actions]) => `${actions.join(', ')} on ${resource}`);
      return (lines.length === 0 ? ['nothing'] : lines).map(
        (line, index) => `  ${(index === 0 ? name : '').padEnd(10)}${line}`,
      );
    }),
    `  Models on Bedrock: ${onBedrock.length === 0 ? 'none, so no function may invoke any' : onBedrock.join(', ')}`,
  ];
}

/** The figures as a table in Markdown. */
export function figuresText(): string[] {
  const names = ['run', 'transitions', 'Step Functions', 'Lambda', 'DynamoDB', 'API', '1,000 runs'];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(names), row(names.map(() => '---')), ...figures().map((figure) => row(toCells(figure)))];
}

function toCells({ what, use, dollars }: Figure): string[] {
  const prices = [dollars.stepFunctions, dollars.lambda, dollars.dynamoDb, dollars.api, dollars.total];
  return [what, count(use.transitions), ...prices.map((each) => inDollars(1000 * each))];
}

function columns(label: string, values: readonly string[]): string {
  return `  ${label.padEnd(28)}${values.map((value) => value.padStart(17)).join('')}`;
}
