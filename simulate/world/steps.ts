import * as v from 'valibot';
import bucket from '../../infra/bucket.asl.json' with { type: 'json' };
import { createStateMachines } from '../../src/asl/create-state-machines.ts';
import type { StatusChangeEvent } from '../../src/asl/executions/descriptions.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import type { Json } from '../../src/json.ts';
import { createConversationMachines } from '../../src/places/local/conversation-machines.ts';
import type { LambdaAnswer } from '../../src/asl/executions/ports.ts';
import type { Choices } from '../choices.ts';
import type { Chances, Process } from './invocations.ts';
import { nextRelease } from './next-release.ts';
import type { WorldTime } from './time.ts';

const NAMES = ['OpenFunction', 'TurnFunction', 'ToolFunction', 'ControlFunction', 'SettleFunction'] as const;

/** The machine that looks after the turns which wait for batches. */
const BUCKET = JSON.stringify(bucket)
  .replace('${Partition}', 'aws')
  .replace('${BatchFunction}', 'BatchFunction');

/** Step Functions with the deployed machines, for as long as a process lasts. */
export interface Steps {
  process: Process;
  machines: StateMachines;
  /** That of conversations. */
  machine: string;
  /** That of buckets. */
  bucketMachine: string;
  /** New executions use the machines of another release from now on. */
  upgrade(): void;
}

interface StepsOptions {
  time: WorldTime;
  choices: Choices;
  chances?: Chances | undefined;
  invoke(steps: Steps, name: string, payload: Json): Promise<LambdaAnswer>;
  /** An execution has ended, and not well. */
  onEnd(steps: Steps, event: StatusChangeEvent): void;
  /** An execution for which a state of another one waits has begun. */
  onNested(steps: Steps, executionArn: string): void;
}

export function openSteps({ time, choices, chances, invoke, onEnd, onNested }: StepsOptions): Steps {
  const process: Process = { isDead: false };
  const machines = createStateMachines({
    clock: time,
    random: choices.fraction,
    hasRoom: () => !choices.happens(chances?.refusal),
    keepEnded: 10_000,
    invokeLambda: (name, payload) => invoke(steps, name, payload),
    onStatusChange(status, toEvent) {
      if (process.isDead || status === 'SUCCEEDED') return;
      const event = toEvent();
      if (event.detail.stateMachineArn === bucketMachine) return;
      if (status !== 'RUNNING') onEnd(steps, event);
      else if (isNested(event.detail.input)) onNested(steps, event.detail.executionArn);
    },
  });
  const created = createConversationMachines(machines, Object.fromEntries(NAMES.map((name) => [name, name])));
  const [machine] = created;
  const { stateMachineArn: bucketMachine } = machines.createStateMachine({
    name: 'batches',
    definition: BUCKET,
    roleArn: 'arn:aws:iam::123456789012:role/cadre',
  });
  const upgrade = () => {
    for (const stateMachineArn of created) {
      const { definition } = machines.describeStateMachine(stateMachineArn);
      machines.updateStateMachine({ stateMachineArn, definition: nextRelease(definition) });
    }
  };
  const steps: Steps = { process, machines, machine, bucketMachine, upgrade };
  return steps;
}

/** Whether a state of another execution waits for the one with this input: not if a message has started it. */
function isNested(input: string | null): boolean {
  const given: unknown = JSON.parse(input ?? '{}');
  return typeof given === 'object' && given !== null && 'parent' in given && !('isWoken' in given);
}

const Entered = v.object({ stateEnteredEventDetails: v.object({ name: v.string() }) });

/** The state that an execution has entered last. */
export function stateOf({ machines }: Steps, executionArn: string): string {
  const events = machines.getExecutionHistory({ executionArn, reverseOrder: true });
  const entered = events.map((event) => v.safeParse(Entered, event)).find(({ success }) => success);
  return entered?.success === true ? entered.output.stateEnteredEventDetails.name : '';
}
