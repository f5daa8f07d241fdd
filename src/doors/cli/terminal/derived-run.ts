import type { Opened } from '../../../core/records/opened.ts';
import type { Run } from '../../../core/records/run.ts';
import { counted } from '../../../counted.ts';

/** A run's name where several of one agent are shown: `coder`, `coder (coder-2)`, `coder (spawn_agent)`, `coder (fork scout)`. */
export function runName({ agent, derivedBy, name }: Pick<Run, 'agent' | 'derivedBy' | 'name'>): string {
  const extra = [derivedBy, name === agent ? undefined : name].filter((one) => one !== undefined);
  return extra.length === 0 ? agent : `${agent} (${extra.join(' ')})`;
}

/** The original of a derived run, and how the run differs from it, in a line: its model, mode, limits and tools. */
export function differencesText(
  run: Pick<Run, 'derivedBy' | 'timeout'> & { parent: { run: string } },
  own: Opened,
  caller: Opened,
): string {
  const { caps, rules, quietSeconds, withheld = [] } = own;
  const mode = rules?.mode ?? 'auto';
  const lacking = withheld.filter((name) => !(caller.withheld ?? []).includes(name));
  const parts = [
    ...(own.model === caller.model ? [] : [`model ${own.model}`]),
    ...(mode === (caller.rules?.mode ?? 'auto') ? [] : [`mode ${mode}`]),
    ...(own.system === '' || own.system === caller.system ? [] : ['a system prompt of its own']),
    ...(caps === undefined || caps.toolCalls === 0 || isSame(caps, caller.caps)
      ? []
      : [`at most ${counted(caps.toolCalls, 'tool call')}`]),
    ...(caps?.tokens === undefined ? [] : [`at most ${counted(caps.tokens, 'token')}`]),
    `a time limit of ${run.timeout}s`,
    ...(quietSeconds === undefined ? [] : [`at most ${quietSeconds}s without a sign of life`]),
  ];
  const tools = lacking.length === 0 ? '' : `; without ${lacking.join(', ')}`;
  return `copy of ${run.parent.run} made by ${run.derivedBy}, with ${parts.join(', ')}${tools}`;
}

function isSame(one: Opened['caps'], other: Opened['caps']): boolean {
  return one?.toolCalls === other?.toolCalls && one?.tokens === other?.tokens;
}
