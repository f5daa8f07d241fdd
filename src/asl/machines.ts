import type { Definition } from './definition/definition.ts';
import { parseDefinition } from './definition/parse-definition.ts';
import type { MachineType } from './executions/execution.ts';
import { StatesApiError } from './executions/errors.ts';
import { checkArn, checkName } from './names.ts';
import type { StateMachineDescription, StateMachines, StateMachinesOptions } from './state-machines.ts';

export interface Machine extends StateMachineDescription {
  parsed: Definition;
}

/** The state machines that there are, by ARN. */
export interface Machines {
  create: StateMachines['createStateMachine'];
  update: StateMachines['updateStateMachine'];
  /** @throws StatesApiError StateMachineDoesNotExist */
  find(stateMachineArn: string): Machine;
  all(): Machine[];
  delete: StateMachines['deleteStateMachine'];
}

export interface MachinesOptions extends Pick<StateMachinesOptions, 'checkDefinition'> {
  region: string;
  account: string;
  now: () => number;
}

export function createMachines({
  region,
  account,
  now,
  checkDefinition = () => [],
}: MachinesOptions): Machines {
  const machines = new Map<string, Machine>();

  function find(stateMachineArn: string): Machine {
    checkArn(stateMachineArn, 'stateMachine');
    const machine = machines.get(stateMachineArn);
    if (machine !== undefined) return machine;
    throw new StatesApiError(
      'StateMachineDoesNotExist',
      `State Machine Does Not Exist: '${stateMachineArn}'`,
    );
  }

  /**
   * Reads a definition into the form that runs.
   * @throws StatesApiError InvalidDefinition, telling all that is wrong and where
   */
  function load(text: string, type: MachineType): Definition {
    const awaited = type === 'EXPRESS' ? /"Resource":\s*"[^"]*\.(?:sync|waitForTaskToken)/.exec(text) : null;
    if (awaited !== null) {
      throw new StatesApiError(
        'InvalidDefinition',
        `Invalid State Machine Definition: Express state machines do not support ${awaited[0]}"`,
      );
    }
    const errors = checkDefinition(text).filter(({ severity }) => severity === 'ERROR');
    if (errors.length === 0) return parseDefinition(text);
    const list = errors.map(({ code, message, location }) => `${code}: ${message} at ${location}`);
    throw new StatesApiError('InvalidDefinition', `Invalid State Machine Definition: '${list.join(', ')}'`);
  }

  return {
    create({ name, definition, roleArn, type = 'STANDARD' }) {
      checkName(name);
      if (type !== 'STANDARD' && type !== 'EXPRESS') {
        throw new StatesApiError(
          'StateMachineTypeNotSupported',
          `state machines of type ${type} are not supported; use STANDARD or EXPRESS`,
        );
      }
      const stateMachineArn = `arn:aws:states:${region}:${account}:stateMachine:${name}`;
      const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
      const existing = machines.get(stateMachineArn);
      if (existing !== undefined) {
        const isSame = existing.definition === text && existing.roleArn === roleArn && existing.type === type;
        if (isSame) return existing;
        throw new StatesApiError(
          'StateMachineAlreadyExists',
          `State Machine Already Exists: '${stateMachineArn}'`,
        );
      }
      const creationDate = new Date(now());
      const machine: Machine = {
        stateMachineArn,
        name,
        definition: text,
        roleArn,
        type,
        status: 'ACTIVE',
        creationDate,
        updateDate: creationDate,
        parsed: load(text, type),
      };
      machines.set(stateMachineArn, machine);
      return { stateMachineArn, creationDate };
    },

    update({ stateMachineArn, definition, roleArn }) {
      const before = find(stateMachineArn);
      if (definition === undefined && roleArn === undefined) {
        throw new StatesApiError(
          'MissingRequiredParameter',
          'Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified',
        );
      }
      const machine: Machine = {
        ...before,
        ...(definition !== undefined && { definition, parsed: load(definition, before.type) }),
        ...(roleArn !== undefined && { roleArn }),
        updateDate: new Date(now()),
      };
      machines.set(stateMachineArn, machine);
      return { updateDate: machine.updateDate };
    },

    find,
    all: () => [...machines.values()],
    delete(stateMachineArn) {
      checkArn(stateMachineArn, 'stateMachine');
      machines.delete(stateMachineArn);
    },
  };
}

export function toDescription({ parsed: _parsed, ...description }: Machine): StateMachineDescription {
  return description;
}
