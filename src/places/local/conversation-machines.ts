import type { StateMachines } from '../../asl/state-machines.ts';
import { CONVERSATION } from '../../core/machine/conversation.ts';
import { LEAF_CONVERSATION } from '../../core/machine/leaf-conversation.ts';

/** The interpreter's ARN of the machine for leaves. */
const LEAVES = 'arn:aws:states:us-east-1:123456789012:stateMachine:cadre-leaves';

/**
 * Creates the machines that are deployed. Their definitions have placeholders for what they call and for AWS's
 * partition, which the stack replaces.
 * @param names of the functions, by their placeholders
 * @returns the ARNs of the machine and of that for leaves
 */
export function createConversationMachines(
  machines: StateMachines,
  names: Readonly<Record<string, string>>,
): [conversation: string, leaves: string] {
  const create = (name: string, type: string, definition: unknown): string =>
    machines.createStateMachine({
      name,
      type,
      definition: withNames(definition, { ...names, Partition: 'aws', LeafMachine: LEAVES }),
      roleArn: 'arn:aws:iam::123456789012:role/cadre',
    }).stateMachineArn;
  return [create('cadre', 'STANDARD', CONVERSATION), create('cadre-leaves', 'EXPRESS', LEAF_CONVERSATION)];
}

function withNames(definition: unknown, names: Readonly<Record<string, string>>): string {
  return JSON.stringify(definition).replaceAll(
    /\$\{(\w+)\}/g,
    (placeholder, name: string) => names[name] ?? placeholder,
  );
}
