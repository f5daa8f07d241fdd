import * as v from 'valibot';

const Named = v.optional(v.object({ name: v.string() }));
const Failed = v.optional(v.object({ error: v.optional(v.string(), '') }));
const Iteration = v.optional(v.object({ name: v.string(), index: v.number() }));

/** The parts of an event that are read here, as GetExecutionHistory gives it. */
export const ServiceEvent = v.object({
  id: v.number(),
  previousEventId: v.optional(v.number(), 0),
  type: v.string(),
  stateEnteredEventDetails: Named,
  stateExitedEventDetails: Named,
  mapIterationStartedEventDetails: Iteration,
  mapIterationSucceededEventDetails: Iteration,
  mapIterationFailedEventDetails: Iteration,
  mapIterationAbortedEventDetails: Iteration,
  executionStartedEventDetails: v.optional(v.object({ input: v.optional(v.string(), '{}') })),
  executionFailedEventDetails: Failed,
  taskFailedEventDetails: Failed,
  taskTimedOutEventDetails: Failed,
  taskSubmittedEventDetails: v.optional(v.object({ output: v.optional(v.string(), '{}') })),
});
export type ServiceEvent = v.InferOutput<typeof ServiceEvent>;

/** Whether an execution has ended by this event. */
export function isEnd({ type }: ServiceEvent): boolean {
  return /^Execution(Succeeded|Failed|TimedOut|Aborted)$/.test(type);
}

/**
 * Types of events with the names of states and errors, branch by branch: the iterations of a Map run at once, so that
 * only the order within each of them means anything. The key of events outside of any iteration is "".
 */
export function toBranches(events: readonly ServiceEvent[]): Map<string, string[]> {
  const branches = new Map<string, string[]>();
  const branchOf = new Map<number, string>();
  /** How often each Map was entered. */
  const entered = new Map<string, number>();
  for (const event of events) {
    const name = (event.stateEnteredEventDetails ?? event.stateExitedEventDetails)?.name;
    if (event.type === 'MapStateEntered' && name !== undefined)
      entered.set(name, (entered.get(name) ?? 0) + 1);
    const branch = iterationOf(event, entered) ?? follow(event, branchOf);
    branchOf.set(event.id, branch);
    const lines = branches.get(branch) ?? [];
    lines.push([event.type, name ?? errorOf(event)].join(' ').trimEnd());
    branches.set(branch, lines);
  }
  return branches;
}

function errorOf(event: ServiceEvent): string | undefined {
  return (event.executionFailedEventDetails ?? event.taskFailedEventDetails ?? event.taskTimedOutEventDetails)
    ?.error;
}

function iterationOf(event: ServiceEvent, entered: ReadonlyMap<string, number>): string | undefined {
  const iteration =
    event.mapIterationStartedEventDetails ??
    event.mapIterationSucceededEventDetails ??
    event.mapIterationFailedEventDetails ??
    event.mapIterationAbortedEventDetails;
  if (iteration === undefined) return undefined;
  const { name, index } = iteration;
  return `${name} ${entered.get(name) ?? 0}, iteration ${index + 1}`;
}

/** An event is in the branch of the one before it, except for those that end a Map or the execution. */
function follow({ type, previousEventId }: ServiceEvent, branchOf: ReadonlyMap<number, string>): string {
  return /^(MapState|Execution)/.test(type) ? '' : (branchOf.get(previousEventId) ?? '');
}

const Started = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID: v.string() }),
);
/** A question that is asked is submitted, too, and starts nothing. */
const Submitted = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ ExecutionArn: v.optional(v.string()) }),
  v.transform(({ ExecutionArn }) => (ExecutionArn === undefined ? [] : [ExecutionArn])),
);

/** The ARN of the execution that started this one; undefined where none did. */
export function startedBy([first]: readonly ServiceEvent[]): string | undefined {
  const input = v.safeParse(Started, first?.executionStartedEventDetails?.input);
  return input.success ? input.output.AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID : undefined;
}

/** The ARNs of the executions that this one started and waited for. */
export function nested(events: readonly ServiceEvent[]): string[] {
  return events.flatMap(({ taskSubmittedEventDetails: details }) =>
    details === undefined ? [] : v.parse(Submitted, details.output),
  );
}
