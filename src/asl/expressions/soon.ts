/**
 * What mostly is there at once and sometimes only later. Most steps of the interpreter compute little, and to wait for
 * what is there already would take longer than to compute it.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once if it is there. */
export function whenThere<T, R>(value: Soon<T>, goOn: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
