import { createStateMachines } from '../../asl/create-state-machines.ts';
import { LambdaServiceError, type InvokeLambda, type LambdaAnswer } from '../../asl/executions/ports.ts';
import { VirtualClock } from '../../asl/executions/virtual-clock.ts';
import type { StateMachines } from '../../asl/state-machines.ts';

/** A function's answer, or Lambda's own refusal: with which exception, and why. */
export type FunctionAnswer = LambdaAnswer | { refused: string; cause: string };

export interface VirtualMachinesOptions {
  /** The moment at which their time begins, in milliseconds since 1970. */
  startedAt: number;
  region: string;
  account: string;
  invoke(...call: Parameters<InvokeLambda>): Promise<FunctionAnswer>;
}

export interface VirtualMachines {
  machines: StateMachines;
  /** Calls back once that much of their time has passed; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The interpreter in time of its own, which passes as soon as nothing else is left to do. */
export function openVirtualMachines(options: VirtualMachinesOptions): VirtualMachines {
  const { startedAt, region, account, invoke } = options;
  const clock = new VirtualClock(startedAt);
  const machines = createStateMachines({
    region,
    account,
    clock,
    async invokeLambda(...call) {
      const answer = await invoke(...call);
      if (!('refused' in answer)) return answer;
      throw new LambdaServiceError(answer.refused, answer.cause, { status: 500, requestId: '' });
    },
  });
  return { machines, after: (milliseconds, callback) => clock.after(milliseconds, callback) };
}
