import { messageOf } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { parseJson } from '../expressions/json-value.ts';
import { checkStateShape } from './check-state.ts';
import { checkFields, Problems, type FieldCheck, type DefinitionProblem } from './field-checks.ts';

/** The most characters of a state's name. */
const MAX_NAME = 80;

/** Fields of a whole definition, and of the states within a Parallel or Map. */
const MACHINE_FIELDS: Record<string, FieldCheck> = {
  Comment: 'text',
  QueryLanguage: 'language',
  StartAt: 'text',
  States: 'object',
  TimeoutSeconds: 'positive integer',
  Version: 'text',
};
const BRANCH_FIELDS: Record<string, FieldCheck> = {
  Comment: 'text',
  QueryLanguage: 'language',
  StartAt: 'text',
  States: 'object',
  ProcessorConfig: 'object',
};

/** Finds the faults in the text of a definition, as {@link checkDefinition} does with its value. */
export function checkDefinitionText(text: string): DefinitionProblem[] {
  let definition: Json;
  try {
    definition = parseJson(text);
  } catch (error) {
    const problem = { code: 'INVALID_JSON_DESCRIPTION', message: messageOf(error), location: '/' };
    return [{ severity: 'ERROR', ...problem }];
  }
  return checkDefinition(definition);
}

/**
 * Finds the faults of a definition: what the interpreter does not know (it ignores nothing), what cannot work, and, as
 * warnings, what the service accepts and then fails at.
 */
export function checkDefinition(definition: Json): DefinitionProblem[] {
  const problems = new Problems();
  if (isJsonObject(definition)) {
    checkFields(problems, definition, '', MACHINE_FIELDS, ['StartAt', 'States']);
    new Checker(problems).checkStates(definition, '', 'JSONPath', new Set());
  } else {
    problems.error('', 'a definition must be an object');
  }
  return problems.list;
}

class Checker {
  readonly #names = new Set<string>();

  constructor(readonly problems: Problems) {}

  /** @param outer the variables that are set around these states */
  checkStates(
    holder: JsonObject,
    location: string,
    inheritedLanguage: Json,
    outer: ReadonlySet<string>,
  ): void {
    const states = holder['States'];
    if (!isJsonObject(states)) return;
    const language = holder['QueryLanguage'] ?? inheritedLanguage;
    const visible = new Set([...outer, ...Object.values(states).flatMap(assignedNames)]);
    for (const [name, state] of Object.entries(states)) {
      const at = `${location}/States/${name}`;
      if (name.length > MAX_NAME) this.problems.error(at, `the name has more than ${MAX_NAME} characters`);
      if (this.#names.has(name)) {
        this.problems.error(at, `there is another state named "${name}"`, 'DUPLICATE_STATE_NAME');
      }
      this.#names.add(name);
      if (isJsonObject(state)) this.#checkState(state, at, language, outer, visible);
      else this.problems.error(at, 'a state must be an object');
    }
    checkTransitions(this.problems, holder, states, location);
  }

  #checkState(
    state: JsonObject,
    location: string,
    inheritedLanguage: Json,
    outer: ReadonlySet<string>,
    visible: ReadonlySet<string>,
  ): void {
    const language = state['QueryLanguage'] ?? inheritedLanguage;
    if (language !== 'JSONata') {
      this.problems.error(
        location,
        `the query language ${JSON.stringify(language)} is not supported; use "JSONata"`,
      );
      return;
    }
    checkStateShape(this.problems, state, location, visible);
    // "A variable assigned in an inner scope cannot have the same name as one assigned in an outer scope" (Developer
    // Guide, "Passing data between states with variables", Variable scope). Branches side by side may share a name.
    for (const name of assignedNames(state)) {
      if (outer.has(name)) {
        this.problems.error(
          location,
          `assigns the variable "${name}", which belongs to an outer scope and is read-only`,
        );
      }
    }
    for (const { inner, at } of innerStates(state, location)) {
      checkFields(this.problems, inner, at, BRANCH_FIELDS, ['StartAt', 'States']);
      this.#checkProcessor(inner['ProcessorConfig'], `${at}/ProcessorConfig`);
      this.checkStates(inner, at, language, visible);
    }
  }

  #checkProcessor(config: Json | undefined, location: string): void {
    if (!isJsonObject(config)) return;
    checkFields(this.problems, config, location, { Mode: 'text' }, []);
    const { Mode: mode = 'INLINE' } = config;
    if (mode !== 'INLINE') {
      this.problems.error(`${location}/Mode`, `${JSON.stringify(mode)} is not supported, only "INLINE"`);
    }
  }
}

/** The states within a Parallel or a Map. */
function innerStates(state: JsonObject, location: string): { inner: JsonObject; at: string }[] {
  const branches = Array.isArray(state['Branches']) ? state['Branches'] : [];
  const inner = branches.map((branch, index) => ({ inner: branch, at: `${location}/Branches/${index}` }));
  if (state['ItemProcessor'] !== undefined) {
    inner.push({ inner: state['ItemProcessor'], at: `${location}/ItemProcessor` });
  }
  return inner.flatMap((item) => (isJsonObject(item.inner) ? [{ inner: item.inner, at: item.at }] : []));
}

/** The variables that a state sets, those of its rules and catchers included, but not those of states within. */
function assignedNames(state: Json): string[] {
  if (!isJsonObject(state)) return [];
  const holders = [
    state,
    ...[state['Choices'], state['Catch']].flatMap((list) => (Array.isArray(list) ? list : [])),
  ];
  return holders.flatMap((holder) => {
    const assign = isJsonObject(holder) ? holder['Assign'] : undefined;
    return isJsonObject(assign) ? Object.keys(assign) : [];
  });
}

/** Checks that states lead only to states beside them, that each can be reached, and that they can end. */
function checkTransitions(
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

function isEnd(state: Json): boolean {
  return (
    isJsonObject(state) && (state['End'] === true || state['Type'] === 'Succeed' || state['Type'] === 'Fail')
  );
}
