import { count, counted } from '../../../counted.ts';
import type { AgentDetails } from '../../api/answers.ts';
import { dollars, duration } from '../shared/figures.ts';
import { AgentFacts } from './agent-facts.tsx';

/** All limits of an agent's runs, and when it runs by itself. */
export function AgentLimits({ agent: { limits, schedule } }: { agent: AgentDetails }) {
  const seconds = (value: number | undefined) => (value === undefined ? undefined : duration(1000 * value));
  const number = (value: number | undefined) => (value === undefined ? undefined : count(value));
  const { copies } = limits;
  const rows: [label: string, value: string | undefined][] = [
    ['Time of a run', seconds(limits.timeout)],
    ['Waits for people', seconds(limits.patience)],
    ['Levels below it', String(limits.max_depth)],
    ['Sub-agents', limits.parallel ? 'side by side' : 'one after another'],
    ['Time of each', seconds(limits.sub_agent_timeout)],
    ['Tokens of an answer', number(limits.max_answer_tokens)],
    ['Tokens of a tree', number(limits.max_tokens)],
    ['Dollars of a tree', limits.max_usd === undefined ? undefined : dollars(limits.max_usd)],
    ['Turns of a tree', number(limits.max_turns)],
    ['Tool calls of a tree', number(limits.max_tool_calls)],
    ['Dollars of a day', limits.usd_per_day === undefined ? undefined : dollars(limits.usd_per_day)],
    [
      'Of each person',
      limits.usd_per_owner_per_day === undefined ? undefined : dollars(limits.usd_per_owner_per_day),
    ],
    [
      'Copies of itself',
      copies &&
        `${copies.max_concurrent} at once, each with ${counted(copies.max_tool_calls, 'tool call')} and ${duration(copies.timeout_ms)}`,
    ],
    ['Schedule', schedule && `${schedule.expression} ${schedule.timezone}`],
    ['Next tick', schedule && nextText(schedule)],
  ];
  return <AgentFacts rows={rows} />;
}

function nextText({ enabled, next }: NonNullable<AgentDetails['schedule']>): string {
  if (!enabled) return 'disabled';
  return next === null ? 'never' : new Date(next).toLocaleString();
}
