import * as v from 'valibot';
import { agentSchema } from '../../core/agent-schema/agent.ts';
import { RESERVED_PREFIX } from '../../core/agent-schema/agent-name.ts';
import type { LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import type { ScriptFile } from '../../places/testing/scripted/script.ts';

/** How many sub-agents `wide` has at once: the interpreter knows the histories of the newest 20 executions. */
export const WIDE = 16;

/**
 * The agents of `cadre verify`. Each plays a script of its own, so that no model is asked and every run is the same.
 * Only environments with `verify` have them, under names that no agent of a project may have.
 */
const AGENTS = {
  quick: { turns: [{ text: 'quick is done' }] },
  slow: { turns: [{ delay_ms: 8_000, text: 'slow is done' }] },
  /** Longer than anybody waits for it. */
  late: { turns: [{ delay_ms: 60_000, text: 'late is done' }] },
  broken: { turns: [{ error: { category: 'auth', message: 'no such key' } }] },
  throttled: {
    retry: { max_retries: 2, backoff: 'fixed' },
    turns: [{ error: { category: 'rate_limit', message: 'too many requests', retry_after: 1 } }],
  },
  middle: { sub_agents: ['quick'], turns: [callsOf('quick'), { text: 'middle heard: {{results}}' }] },
  parallel: delegating(['quick', 'middle', 'quick']),
  'in-order': delegating(['quick', 'middle', 'quick'], { parallel: false }),
  /** Nothing is deployed under the last name. */
  failures: delegating(['quick', 'broken', 'missing']),
  timeout: delegating(['late'], { timeout: 8 }, 'timeout after'),
  throttling: delegating(['throttled', 'quick']),
  waiting: delegating(['quick', 'slow', 'quick']),
  stuck: delegating(['quick', 'late', 'quick']),
  /** Waits in a state of its execution, and in no function. */
  queued: throttledFor(200),
  wide: { ...delegating(Array.from({ length: WIDE }, () => 'queued')), timeout: 280 },
  brief: { ...throttledFor(30), timeout: 40 },
  asking: {
    tools: ['ask_user'],
    turns: [
      { calls: [{ name: 'ask_user', arguments: { question: 'go on?' } }] },
      { text: 'heard {{results}}' },
    ],
  },
  beside: {
    sub_agents: ['slow'],
    sub_agents_config: { background: 'always' },
    turns: [callsOf('slow'), { text: 'slow is at work' }, { expect: 'slow is done', text: 'slow has ended' }],
  },
  twice: { turns: [{ text: 'once' }, { text: 'twice' }] },
  leaves: delegating(['quick', 'broken', 'quick'], { express: true }),
  /** Longer than many a client waits for an answer. */
  patient: { timeout: 280, turns: [{ delay_ms: 200_000, text: 'quick is done' }] },
  'long-leaf': { ...delegating(['patient'], { express: true }), timeout: 290 },
} satisfies Record<string, Definition>;

/** The agent that a scenario starts, or finds in a tree. */
export type VerificationAgent = keyof typeof AGENTS;

interface Definition {
  tools?: string[];
  sub_agents?: string[];
  sub_agents_config?: { parallel?: boolean; timeout?: number; express?: boolean; background?: 'always' };
  timeout?: number;
  retry?: { max_retries: number; backoff: string };
  turns: ScriptFile['conversations'][number]['turns'];
}

/** The name under which it is deployed. */
export function deployedName(agent: string): string {
  return `${RESERVED_PREFIX}${agent}`;
}

/** By the names under which they are deployed; `root` is where they are unpacked. */
export const VERIFICATION_AGENTS: ReadonlyMap<string, LoadedAgent> = new Map(
  Object.entries<Definition>(AGENTS).map(([name, { turns: _turns, sub_agents = [], ...keys }]) => {
    const deployed = deployedName(name);
    const { output: _output, ...agent } = v.parse(agentSchema, {
      name: deployed,
      model: `scripted/${scriptName(name)}`,
      description: 'Takes part in cadre verify',
      sub_agents: sub_agents.map(deployedName),
      ...keys,
    });
    return [deployed, { agent, warnings: [], root: '' }];
  }),
);

/** By the names that the agents' models have after `scripted/`. */
export const VERIFICATION_SCRIPTS: Readonly<Record<string, ScriptFile>> = Object.fromEntries(
  Object.entries<Definition>(AGENTS).map(([name, { turns }]) => [
    scriptName(name),
    { conversations: [{ turns }] },
  ]),
);

function scriptName(agent: string): string {
  return `${deployedName(agent)}.json`;
}

/** An agent whose model asks for so many seconds of patience, and answers after that. */
function throttledFor(seconds: number): Definition {
  return {
    timeout: 280,
    retry: { max_retries: 2, backoff: 'fixed' },
    turns: [
      { error: { category: 'rate_limit', message: 'too many requests', retry_after: seconds } },
      { text: 'quick is done' },
    ],
  };
}

/**
 * An agent that calls all of these in one answer.
 * @param heard the word that at least one of them has to answer
 */
function delegating(
  names: string[],
  sub_agents_config: Definition['sub_agents_config'] = {},
  heard = 'quick is done',
): Definition {
  return {
    sub_agents: [...new Set(names)],
    sub_agents_config,
    turns: [callsOf(...names), { expect: heard, text: 'all have ended' }],
  };
}

function callsOf(...names: string[]): Definition['turns'][number] {
  return {
    calls: names.map((name) => ({
      name: 'call_agent',
      arguments: { agent: deployedName(name), task: 'go' },
    })),
  };
}
