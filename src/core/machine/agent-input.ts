import { FORMAT } from './format.ts';

/** Expressions by the names of an input's fields. */
interface Fields {
  [name: string]: string | Fields;
}

export const ENTERED = '$toMillis($states.context.State.EnteredTime)';

/** Time starts with the state that takes it, and ends early enough for the rest however late that start was. */
export const deadlineOf = (time: string) => `$min([${time}.deadline, ${ENTERED} + 1000 * ${time}.timeout])`;
export const DEADLINE = deadlineOf('$states.input');

/** Whole seconds that a sub-agent has, however late its execution comes to open it. */
export const SECONDS_LEFT = `$max([1, $ceil((${DEADLINE} - ${ENTERED}) / 1000)])`;

/** A redriven execution starts its steps again, under new names. */
export const REDRIVES = '$states.context.Execution.RedriveCount';

/**
 * The input that starts a sub-agent: references only. Input and name of an execution are the same at every attempt of
 * the state: they follow from when the state was entered, never from the time of day.
 */
const agentInput = (holder: string): Fields => ({
  v: `${FORMAT}`,
  agent: '$states.input.agent',
  run: '$states.input.run',
  holder,
  depth: '$states.input.depth',
  patience: '$patience',
  deadline: DEADLINE,
  // What it was given before it was moved: see leaf.ts.
  timeout: `$exists($states.input.given) ? $states.input.given : ${SECONDS_LEFT}`,
  isMoved: '$exists($states.input.given)',
  parent: { run: '$run', turn: '$turn', call: '$states.input.call' },
  parentHolder: `$holder + ${REDRIVES}`,
  // The console links a nested execution to the one that started it by this field.
  AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID: '$states.context.Execution.Id',
});

const nameOf = (holder: string) => `$states.input.run & (${holder} > 1 ? '-r' & (${holder}) : '')`;

/** The arguments that start a Standard execution of this very machine. */
export const AGENT = {
  StateMachineArn: '{% $states.context.StateMachine.Id %}',
  Name: `{% ${nameOf('$states.input.holder')} & (${REDRIVES} > 0 ? '-d' & ${REDRIVES} : '') %}`,
  Input: toTemplate(agentInput(`$states.input.holder + ${REDRIVES}`)),
};

/** The arguments that start an Express execution, which takes a text. @param holder expression of its number */
export const leafArguments = (holder: string) => ({
  StateMachineArn: '${LeafMachine}',
  Name: `{% ${nameOf(holder)} %}`,
  Input: `{% $string(${toExpression(agentInput(holder))}) %}`,
});

function toTemplate(fields: Fields): object {
  return mapped(fields, (value) => (typeof value === 'string' ? `{% ${value} %}` : toTemplate(value)));
}

function toExpression(fields: Fields): string {
  const values = mapped(fields, (value) => (typeof value === 'string' ? value : toExpression(value)));
  return `{ ${Object.entries(values)
    .map(([name, value]) => `'${name}': ${value}`)
    .join(', ')} }`;
}

function mapped<T>(fields: Fields, of: (value: string | Fields) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, of(value)]));
}
