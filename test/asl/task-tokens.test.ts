import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { definitionOf, eventsOf, machinesWith, ROLE } from './harness.ts';

const callback = (more: { [field: string]: Json } = {}): { [field: string]: Json } => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: { FunctionName: 'ask', Payload: { token: '{% $states.context.Task.Token %}' } },
  End: true,
  ...more,
});

/** Runs a task that hands out its token, which `act` is given as soon as the function has it. */
async function handOut(
  task: { [field: string]: Json },
  act: (machines: StateMachines, token: string) => void,
) {
  let token = '';
  const machines: StateMachines = machinesWith({
    ask: (payload) => {
      token = JSON.parse(JSON.stringify(payload)).token;
      act(machines, token);
      return { asked: true };
    },
  });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'm',
    definition: definitionOf({ Ask: task }),
    roleArn: ROLE,
  });
  const { executionArn } = machines.startExecution({ stateMachineArn });
  const execution = await machines.ended(executionArn);
  return { machines, execution, token, events: eventsOf(machines, executionArn) };
}

const named = (name: string) => expect.objectContaining({ name });
const SPENT = expect.objectContaining({
  name: 'TaskTimedOut',
  message: "Task Timed Out: 'Provided task does not exist anymore'",
});

describe('a task token', () => {
  it('ends the task with what is sent for it, and is spent', async () => {
    const { machines, execution, token, events } = await handOut(callback(), (door, sent) => {
      setImmediate(() => door.sendTaskSuccess({ taskToken: sent, output: { answer: 42 } }));
    });
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: { answer: 42 } });
    expect(events.slice(2, 7)).toEqual([
      '3<-2 TaskScheduled',
      '4<-3 TaskStarted',
      '5<-4 TaskSubmitted',
      '6<-5 TaskSucceeded',
      '7<-6 TaskStateExited Ask',
    ]);
    expect(() => machines.sendTaskSuccess({ taskToken: token, output: 1 })).toThrow(SPENT);
  });

  it('may come back while the function that was given it is still at work', async () => {
    const { execution } = await handOut(callback(), (door, sent) =>
      door.sendTaskSuccess({ taskToken: sent, output: 'early' }),
    );
    expect(execution.output).toBe('early');
  });

  it('fails the task with the error and cause that are sent', async () => {
    const { execution } = await handOut(callback(), (door, sent) => {
      setImmediate(() => door.sendTaskFailure({ taskToken: sent, error: 'Refused', cause: 'by a human' }));
    });
    expect(execution).toMatchObject({ status: 'FAILED', error: 'Refused', cause: 'by a human' });
  });

  it('is refused after the task has timed out', async () => {
    const { machines, execution, token, events } = await handOut(callback({ TimeoutSeconds: 5 }), () => {});
    expect(execution).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
    expect(events.slice(4)).toEqual(['5<-4 TaskSubmitted', '6<-5 TaskTimedOut', '7<-6 ExecutionFailed']);
    const { executionArn } = execution;
    expect(machines.getExecutionHistory({ executionArn })[5]).toMatchObject({
      taskTimedOutEventDetails: { error: 'States.Timeout' },
    });
    expect(() => machines.sendTaskHeartbeat({ taskToken: token })).toThrow(SPENT);
  });

  it.each(['States.HeartbeatTimeout', 'States.Timeout'])(
    'times out without a heartbeat, which a Catch on %s takes',
    async (name) => {
      const task = callback({
        HeartbeatSeconds: 5,
        TimeoutSeconds: 60,
        Catch: [{ ErrorEquals: [name], Output: 'missed', Next: 'Caught' }],
      });
      const machines = machinesWith({ ask: () => null });
      const definition = definitionOf({ Ask: task, Caught: { Type: 'Pass', End: true } });
      const { stateMachineArn } = machines.createStateMachine({ name: 'm', definition, roleArn: ROLE });
      const { executionArn } = machines.startExecution({ stateMachineArn });
      const { output, startDate, stopDate } = await machines.ended(executionArn);
      expect(output).toBe('missed');
      expect(stopDate).toEqual(new Date(startDate.getTime() + 5000));
    },
  );

  it('lives on with heartbeats', async () => {
    let beats = 0;
    const machines: StateMachines = machinesWith({
      ask: (payload) => {
        const { token } = JSON.parse(JSON.stringify(payload));
        const { stateMachineArn } = machines.createStateMachine({
          name: 'beats',
          definition: definitionOf({ Wait: { Type: 'Wait', Seconds: 3, End: true } }),
          roleArn: ROLE,
        });
        const beat = (): void => {
          const { executionArn } = machines.startExecution({ stateMachineArn });
          void machines.ended(executionArn).then(() => {
            if (++beats === 4) machines.sendTaskSuccess({ taskToken: token, output: 'alive' });
            else {
              machines.sendTaskHeartbeat({ taskToken: token });
              beat();
            }
          });
        };
        beat();
        return null;
      },
    });
    const { stateMachineArn } = machines.createStateMachine({
      name: 'm',
      definition: definitionOf({ Ask: callback({ HeartbeatSeconds: 5 }) }),
      roleArn: ROLE,
    });
    const { output, startDate, stopDate } = await machines.ended(
      machines.startExecution({ stateMachineArn }).executionArn,
    );
    expect(output).toBe('alive');
    expect(stopDate).toEqual(new Date(startDate.getTime() + 12_000));
  });

  it('is refused when it was never handed out', () => {
    const machines = machinesWith();
    for (const taskToken of ['', 'made up', 'x'.repeat(2000)]) {
      expect(() => machines.sendTaskSuccess({ taskToken, output: 1 })).toThrow(named('InvalidToken'));
    }
  });

  it('works for a nested execution too, which then runs on by itself', async () => {
    const machines: StateMachines = machinesWith({
      answer: (payload) => {
        const { token } = JSON.parse(JSON.stringify(payload));
        machines.sendTaskSuccess({ taskToken: token, output: 'from below' });
        return null;
      },
    });
    const { stateMachineArn: childArn } = machines.createStateMachine({
      name: 'child',
      definition: definitionOf({
        Answer: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke',
          Arguments: { FunctionName: 'answer', Payload: '{% $states.input %}' },
          End: true,
        },
      }),
      roleArn: ROLE,
    });
    const parent = callback({
      Resource: 'arn:aws:states:::states:startExecution.waitForTaskToken',
      Arguments: { StateMachineArn: childArn, Input: { token: '{% $states.context.Task.Token %}' } },
    });
    const { stateMachineArn } = machines.createStateMachine({
      name: 'm',
      definition: definitionOf({ Ask: parent }),
      roleArn: ROLE,
    });
    expect((await machines.ended(machines.startExecution({ stateMachineArn }).executionArn)).output).toBe(
      'from below',
    );
  });
});
