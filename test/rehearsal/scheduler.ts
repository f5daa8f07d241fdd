import * as v from 'valibot';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';

const Schedule = v.object({
  ScheduleExpression: v.pipe(v.string(), v.regex(/^at\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\)$/)),
  ScheduleExpressionTimezone: v.literal('UTC'),
  FlexibleTimeWindow: v.object({ Mode: v.literal('OFF') }),
  ActionAfterCompletion: v.literal('DELETE'),
  Target: v.object({ Arn: v.string(), RoleArn: v.string(), Input: v.string() }),
});

export interface Scheduler extends LoopbackServer {
  /** The resources that were created and removed, in order: `created <name> for <role>`. */
  deeds: string[];
}

/** EventBridge Scheduler with schedules of one time, which has come as soon as they are created. */
export async function startScheduler(machines: StateMachines): Promise<Scheduler> {
  const deeds: string[] = [];
  const server = await serveOnLoopback(async (request, response) => {
    const [, name] = /^\/schedules\/([\w-]{1,64})(?:\?|$)/.exec(request.url ?? '') ?? [];
    const answer = (status: number, body: object) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(status === 404 && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
      });
      response.end(JSON.stringify(body));
    };
    if (name === undefined) return answer(400, {});
    const body = String(await bodyOf(request));
    if (request.method === 'DELETE') {
      deeds.push(`removed ${name}`);
      // It has done its work, and is gone.
      return answer(404, { Message: `Schedule ${name} does not exist.` });
    }
    const { ScheduleExpression, Target } = v.parse(Schedule, JSON.parse(body));
    deeds.push(`created ${name} for ${Target.RoleArn.split(':').at(-1)}`);
    const time = `${ScheduleExpression.slice('at('.length, -1)}Z`;
    const input = JSON.parse(Target.Input.replaceAll('<aws.scheduler.scheduled-time>', time));
    machines.startExecution({ stateMachineArn: Target.Arn, input });
    answer(200, { ScheduleArn: `arn:aws:scheduler:::schedule/default/${name}` });
  });
  return { ...server, deeds };
}
