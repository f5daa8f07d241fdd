import * as v from 'valibot';
import { ConfigError } from '../../../errors.ts';
import type { TomlPath } from '../../../parse-toml.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { toCamelCase } from '../../../core/agent-schema/camel-case.ts';
import type { FileClaim } from './claim.ts';
import { spawningSchema } from '../../../core/agent-schema/spawning-schema.ts';
import { FORK, SPAWNING_TOOLS } from '../../../core/agent-schema/tool-names.ts';

const DEFAULTS: Agent['subAgent'] = toCamelCase(v.parse(spawningSchema, {}));

/** The entries under `tools` for an agent that forks. */
const FORKING = [FORK, 'agents'] as const;

/** Settings for copies of an agent that have no effect as the file is. */
export function delegationClaims({ mode, models, subAgent, tools }: Agent): FileClaim[] {
  const { enabled, hardStopAt, warnAt, pauseAt, defaultBudget } = subAgent;
  const { maxToolCalls } = defaultBudget;
  const spawning = SPAWNING_TOOLS.filter((name) => tools.includes(name));
  const spawns = spawning.length > 0;
  // Both have their keys in the order of the schema.
  const isSet = JSON.stringify(subAgent) !== JSON.stringify(DEFAULTS);
  const ends = spawns && hardStopAt > 0;
  const mark = (key: string, at: number, byDefault: number): FileClaim =>
    claim(
      ['sub_agent', key],
      !ends || at === byDefault || at < hardStopAt,
      `${key} is never reached: the run ends at hard_stop_at = ${hardStopAt}`,
    );
  return [
    claim(
      ['models'],
      models.length === 0 || tools.includes('sub_agent'),
      'models has no effect without "sub_agent" in tools',
    ),
    claim(
      ['sub_agent'],
      spawns || !isSet,
      '[sub_agent] has no effect without "spawn_agent" or "delegate_task" in tools',
    ),
    ...FORKING.filter((word) => tools.includes(word)).map((word) =>
      claim(['tools', tools.indexOf(word)], mode !== 'plan', 'mode plan takes fork away'),
    ),
    ...spawning.map((name) =>
      claim(['tools', tools.indexOf(name)], !enabled || mode !== 'plan', `mode plan takes ${name} away`),
    ),
    mark('warn_at', warnAt, DEFAULTS.warnAt),
    mark('pause_at', pauseAt, DEFAULTS.pauseAt),
    claim(
      ['sub_agent', 'default_budget', 'max_tool_calls'],
      !ends || maxToolCalls === DEFAULTS.defaultBudget.maxToolCalls || maxToolCalls <= hardStopAt,
      `no sub-agent gets more tool calls than hard_stop_at = ${hardStopAt}`,
    ),
  ];
}

function claim(path: TomlPath, isTrue: boolean, complaint: string): FileClaim {
  return {
    path,
    isOfKey: path.length === 1,
    check() {
      if (!isTrue) throw new ConfigError(complaint);
    },
  };
}
