/** What belongs to git and to Cadre, and to nobody's work: it is shown and searched only where it is named. */
const HIDDEN = ['.git', '.cadre', '.cadre-results'];

/** @param named a path or a pattern that may name it */
export function isHidden(name: string, named: string): boolean {
  return HIDDEN.includes(name) && !named.split('/').includes(name);
}

/** What of it is not named. */
export function hiddenNames(named: string): string[] {
  return HIDDEN.filter((name) => isHidden(name, named));
}
