/**
 * A value that is usually available at once and only sometimes later. Most steps of the interpreter compute little, and
 * awaiting a value that is already there would take longer than computing it.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once if it is there. */
export function whenThere<T, R>(value: Soon<T>, goOn: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
