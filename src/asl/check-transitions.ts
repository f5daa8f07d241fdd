import { isJsonObject, type JsonObject } from './json-value.ts';
import type { Problems } from './problems.ts';

/** Checks that states lead only to states beside them, that each can be reached, and that they can end. */
export function checkTransitions(
  problems: Problems,
  holder: JsonObject,
  states: JsonObject,
  location: string,
): void {
  const start = holder['StartAt'];
  const targets = Object.entries(states).flatMap(([name, state]) =>
    isJsonObject(state)
      ? transitions(state, `${location}/States/${name}`).map((transition) => ({ ...transition, from: name }))
      : [],
  );
  if (typeof start === 'string') targets.unshift({ to: start, at: `${location}/StartAt`, from: '' });
  for (const { to, at } of targets) {
    if (!Object.hasOwn(states, to)) {
      problems.error(at, `there is no state "${to}" to go to`, 'MISSING_TRANSITION_TARGET');
    }
  }
  const reached = new Set<string>();
  const reach = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const { from, to } of targets) if (from === name) reach(to);
  };
  reach('');
  for (const name of Object.keys(states)) {
    if (!reached.has(name)) {
      problems.error(
        `${location}/States/${name}`,
        `no state leads to "${name}"`,
        'MISSING_TRANSITION_TARGET',
      );
    }
  }
  if (!Object.values(states).some(isEnd)) {
    problems.error(`${location}/States`, 'no state ends', 'NO_TERMINAL_STATE');
  }
}

function transitions(state: JsonObject, location: string): { to: string; at: string }[] {
  const { Next: next, Default: fallback, Choices: choices, Catch: catchers } = state;
  const found = [
    { to: next, at: `${location}/Next` },
    { to: fallback, at: `${location}/Default` },
  ];
  for (const [key, list] of Object.entries({ Choices: choices, Catch: catchers })) {
    if (!Array.isArray(list)) continue;
    list.forEach((item, index) =>
      found.push({
        to: isJsonObject(item) ? item['Next'] : undefined,
        at: `${location}/${key}/${index}/Next`,
      }),
    );
  }
  return found.flatMap(({ to, at }) => (typeof to === 'string' ? [{ to, at }] : []));
}

function isEnd(state: unknown): boolean {
  return (
    typeof state === 'object' &&
    state !== null &&
    (('End' in state && state.End === true) ||
      ('Type' in state && (state.Type === 'Succeed' || state.Type === 'Fail')))
  );
}
