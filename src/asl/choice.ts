import type { ChoiceRule, ChoiceState } from './definition.ts';
import type { Exit, Visit } from './visit.ts';

/** Takes the first rule whose condition holds. */
export async function enterChoice(visit: Visit, state: ChoiceState): Promise<Exit> {
  for (const rule of state.rules) {
    if (await holds(visit, rule.condition)) return visit.exit(rule, visit.input);
  }
  if (state.otherwise !== undefined) return visit.exit(state.otherwise, visit.input);
  throw visit.runtimeFailure(
    'Failed to transition out of the state. The state does not point to a next state.',
  );
}

async function holds(visit: Visit, condition: ChoiceRule['condition']): Promise<boolean> {
  if (typeof condition === 'boolean') return condition;
  const value = await visit.evaluate({ kind: 'expression', expression: condition });
  if (typeof value !== 'boolean') throw condition.unexpectedType('boolean', value);
  return value;
}
