/** Those members of a record that are defined. */
type Defined<T> = { [Key in keyof T]?: T[Key] & ({} | null) };

/**
 * The optional members of a record as far as there are any. Records that are compared whole, and types that hold what
 * is absent apart from what is undefined, know no member that is undefined.
 */
export function defined<T extends object>(members: T): Defined<T> {
  if (isWhole(members)) return members;
  const kept: Defined<T> = {};
  for (const key in members) {
    const value = members[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

/** Most have all of their members, and copying those of the rest takes as long as it did to list them one by one. */
function isWhole<T extends object>(members: T): members is T & Defined<T> {
  for (const key in members) if (members[key] === undefined) return false;
  return true;
}
