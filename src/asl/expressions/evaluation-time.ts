import type { Environment, ExprNode } from 'jsonata';
import { descendants, isType } from './syntax-tree.ts';

/** Under which an evaluation's time is bound, in milliseconds since 1970; no expression can name this variable. */
export const TIME = ' time';

const CLOCKS = /^(now|millis|toMillis)$/;

/** Whether an expression names a function that knows what time it is: `$toMillis` fills in the date of today. */
export function asksForTime(ast: ExprNode): boolean {
  return descendants(ast).some((node) => isType(node, 'variable') && CLOCKS.test(String(node.value)));
}

/** Has JSONata take the time that is bound for that of the evaluation, of which it keeps one object throughout. */
export function setTime(environment: Environment): void {
  const time: unknown = environment.lookup(TIME);
  if (typeof time === 'number') environment.timestamp.setTime(time);
}
