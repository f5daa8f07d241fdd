import type { Json } from '../../src/json.ts';
import type { ExecutionDescription } from '../../src/asl/executions/descriptions.ts';
import type { InvokeLambda } from '../../src/asl/executions/ports.ts';
import { VirtualClock as VirtualClockAt } from '../../src/asl/executions/virtual-clock.ts';
import { checkDefinitionText } from '../../src/asl/definition/check-definition.ts';
import { createStateMachines } from '../../src/asl/create-state-machines.ts';
import type { StateMachines, StateMachinesOptions } from '../../src/asl/state-machines.ts';

type States = { [name: string]: { [field: string]: Json } };

/** Time that passes by itself, from the same moment in each test. */
export class VirtualClock extends VirtualClockAt {
  constructor() {
    super(Date.parse('2030-01-01T00:00:00Z'));
  }
}

/** Functions by name; each is given its payload, and what it throws is a failure of the function. */
export type Functions = Record<string, (payload: Json, signal: AbortSignal) => Json | Promise<Json>>;

export function lambdaOf(functions: Functions): InvokeLambda {
  return async (name, payload, { signal }) => {
    const handler = functions[name];
    if (handler === undefined) throw new Error(`no function ${name}`);
    try {
      return { payload: await handler(payload, signal) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { payload: { errorType: error.name, errorMessage: error.message }, functionError: 'Unhandled' };
    }
  };
}

export const ROLE = 'arn:aws:iam::123456789012:role/test';
export const INVOKE = 'arn:aws:states:::lambda:invoke';

/** A definition of these states, the first of which is where it starts. */
export function definitionOf(
  states: States,
  more: { [field: string]: Json } = {},
): { [field: string]: Json } {
  return { QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0] ?? '', States: states, ...more };
}

/** A Task that invokes a function with the state's input and gives what the function answers. */
export function invoke(
  functionName: string,
  more: { [field: string]: Json } = {},
): { [field: string]: Json } {
  return {
    Type: 'Task',
    Resource: INVOKE,
    Arguments: { FunctionName: functionName, Payload: '{% $states.input %}' },
    Output: '{% $states.result.Payload %}',
    ...('Next' in more ? {} : { End: true }),
    ...more,
  };
}

export interface Run {
  machines: StateMachines;
  execution: ExecutionDescription;
  /** Each event as `id<-previousEventId type`, with the name of the state where it has one. */
  events: string[];
}

/** Machines on a clock of their own. */
export function machinesWith(
  functions: Functions = {},
  options: Partial<StateMachinesOptions> = {},
): StateMachines {
  return createStateMachines({
    invokeLambda: lambdaOf(functions),
    clock: new VirtualClock(),
    checkDefinition: checkDefinitionText,
    ...options,
  });
}

/** Runs a definition to its end. */
export async function run(
  definition: { [field: string]: Json },
  {
    input = {},
    functions = {},
    options = {},
  }: { input?: Json; functions?: Functions; options?: Partial<StateMachinesOptions> } = {},
): Promise<Run> {
  const machines = machinesWith(functions, options);
  const { stateMachineArn } = machines.createStateMachine({ name: 'machine', definition, roleArn: ROLE });
  const { executionArn } = machines.startExecution({ stateMachineArn, name: 'run', input });
  const execution = await machines.ended(executionArn);
  return { machines, execution, events: eventsOf(machines, executionArn) };
}

/** The failure that a Catch takes of an expression. */
export async function caughtOf(expression: string): Promise<Json | undefined> {
  const { execution } = await run(
    definitionOf({
      Try: invoke('any', {
        Arguments: { FunctionName: 'any', Payload: `{% ${expression} %}` },
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'Caught' }],
      }),
      Caught: { Type: 'Pass', End: true },
    }),
  );
  return execution.output;
}

export function eventsOf(machines: StateMachines, executionArn: string): string[] {
  return machines.getExecutionHistory({ executionArn }).map(({ id, previousEventId, type, ...details }) => {
    const state = details['stateEnteredEventDetails'] ?? details['stateExitedEventDetails'];
    const name =
      typeof state === 'object' && state !== null && 'name' in state ? ` ${String(state['name'])}` : '';
    return `${id}<-${previousEventId} ${type}${name}`;
  });
}
