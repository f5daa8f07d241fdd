import type { LoadedAgent } from '../agent-schema/agent-source.ts';
import { secondsIn } from '../agent-schema/duration.ts';
import type { FileOwner } from '../agent-schema/workspace.ts';
import type { TreeBudget } from '../records/allotment.ts';
import { dayLimitsOf } from '../records/day-limits.ts';
import { limitsPerDay } from '../records/limits-per-day.ts';
import { toNanoUsd } from '../records/nano-usd.ts';
import type { Opened } from '../records/opened.ts';
import { ownerKey, usualOwnership } from '../records/owner.ts';
import type { Overrides } from '../records/request.ts';
import type { PlaceLimits } from '../spending/allot.ts';
import type { Service } from '../../token-usage.ts';
import type { Origin } from './origin.ts';

// Settings that an agent's file, its caller and its place may each make.

/**
 * Whom the run's memory and files belong to. A sub-agent works on the files that its caller works on, unless its own file
 * says otherwise; below a conversation of an earlier release, which knew no owners, these are the account's in any case.
 */
export function ownersOf(
  { memory, workspace }: LoadedAgent['agent'],
  { owner: { owner: subject, issuer: named } = {}, files: callers }: Origin,
  issuer: string | undefined,
): { fileOwner: FileOwner; memoryOwner: string | undefined } {
  if (subject === undefined) return { fileOwner: {}, memoryOwner: undefined };
  const usual = usualOwnership(issuer);
  const key = ownerKey(named ?? issuer ?? '', subject);
  const { owner, sharesWorkspace } = callers ?? {
    owner: key,
    ...(usual === 'agent' && { sharesWorkspace: true }),
  };
  const shares = workspace.owner === undefined ? sharesWorkspace : workspace.owner === 'agent';
  return {
    fileOwner: owner === undefined ? {} : { owner, ...(shares && { sharesWorkspace: true }) },
    memoryOwner: (memory.owner ?? usual) === 'person' ? key : undefined,
  };
}

/** @param own 0 where there is no limit */
export function lesser(asked: number | undefined, own: number): number {
  if (asked === undefined) return own;
  return own === 0 ? asked : Math.min(asked, own);
}

/** The caller's choice comes first, and last what a sub-agent takes over from the agent that calls it. */
export function serviceOf(
  { params }: LoadedAgent['agent'],
  { overrides, service }: Origin,
): { service?: Service } {
  const wanted = overrides.service ?? (params.service || service || 'standard');
  return wanted === 'standard' ? {} : { service: wanted };
}

/** The file's rules about the window of its model, which no other model has. */
export function contextRulesOf(agent: LoadedAgent['agent'], model: string): Pick<Opened, 'context'> {
  const { compact, window } = agent.context;
  const isOwn = window > 0 && model === agent.model;
  return compact && !isOwn ? {} : { context: { compact, ...(isOwn && { window }) } };
}

/** The file's value takes precedence: where it has none, a person at a terminal may be asked. */
export function patienceOf(
  { patience }: LoadedAgent['agent'],
  overrides: Overrides,
): Pick<Opened, 'patience'> {
  const most = patience === undefined ? (overrides.patience ?? 0) : secondsIn(patience);
  return most > 0 ? { patience: most } : {};
}

/**
 * The limits of a tree: at its top those that the agent's file and the caller set, with limits per day if there are any.
 * Those of sub-agents are ignored.
 */
export function treeBudgetOf(
  { budget, limits }: LoadedAgent['agent'],
  { parent, agent, owner, overrides, budget: inherited }: Origin,
  place: PlaceLimits | undefined,
): TreeBudget | undefined {
  if (parent !== undefined) return inherited;
  const set = Object.entries({
    tokens: budget.maxTokens,
    nanoUsd: toNanoUsd(budget.maxUsd),
    turns: budget.maxTurns,
    toolCalls: budget.maxToolCalls,
    ...overrides.budget,
  }).filter(([, limit]) => limit > 0);
  const own = limitsPerDay(limits);
  const isPerDay = dayLimitsOf({ agent, ...owner }, place?.perDay, own).length > 0;
  if (set.length === 0 && !isPerDay) return undefined;
  return { ...Object.fromEntries(set), ...(isPerDay && { perDay: own ?? {} }) };
}
