import { defined } from '../../defined.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { messageOf } from '../../errors.ts';
import { tickRunId } from '../../core/records/run-id.ts';
import {
  followSchedules,
  type ScheduleClock,
  type ScheduledAgent,
} from '../../authoring/schedule/follow-schedules.ts';
import type { Environment } from '../../places/environment.ts';

export interface ServedSchedules {
  environment: Environment;
  source: AgentSource;
  clock: ScheduleClock;
  /** Takes a line for people, without its newline. */
  tell: (line: string) => void;
}

/** Starts agents on their schedules, until the signal is aborted; each tick once, however many servers follow it. */
export function serveSchedules(
  { source, environment, clock, tell }: ServedSchedules,
  signal: AbortSignal,
): Promise<void> {
  const warned = new Set<string>();
  const tellOnce = (line: string) => {
    if (!warned.has(line)) tell(line);
    warned.add(line);
  };
  const start = async ({ agent, schedule }: ScheduledAgent, tick: number) => {
    try {
      const { prompt, budget, service } = schedule;
      const overrides = defined({ budget, service });
      const request = { agent, prompt, ...(Object.keys(overrides).length > 0 && { overrides }) };
      const { id } = await environment.start({ id: tickRunId(agent, tick), request });
      tell(`${new Date(tick).toISOString()} ${agent}: run ${id}`);
    } catch (error) {
      tell(`Error: ${agent} did not start on schedule: ${messageOf(error)}`);
    }
  };
  return followSchedules(() => scheduledAgents(source, tellOnce), start, clock, signal);
}

/** Agents with a schedule. Those with a fault are reported, and the others go on. */
export async function scheduledAgents(
  source: AgentSource,
  tell: (line: string) => void,
): Promise<ScheduledAgent[]> {
  const scheduled: ScheduledAgent[] = [];
  const warn = (error: unknown) => tell(`Warning: ${messageOf(error)}`);
  const names = await source.list().catch((error: unknown) => {
    warn(error);
    return [];
  });
  for (const agent of names) {
    try {
      const { schedule } = (await loadAgent(agent, source)).agent;
      if (schedule !== undefined) scheduled.push({ agent, schedule });
    } catch (error) {
      warn(error);
    }
  }
  return scheduled;
}
