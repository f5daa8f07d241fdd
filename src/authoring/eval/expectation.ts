import * as v from 'valibot';
import { pathItem } from '../../core/agent-schema/key-types.ts';

const text = () => v.exactOptional(v.pipe(v.string('a string'), v.regex(/\S/, '{key} must not be blank')));
const least = (value: number) =>
  v.exactOptional(v.pipe(v.number('a number'), v.minValue(value, `{key} must be at least ${value}`)));

const written = v.object(
  {
    contains: text(),
    matches: v.exactOptional(
      v.pipe(v.string('a string'), v.check(isPattern, '{key} must be a regular expression')),
    ),
    schema: text(),
    file: text(),
    calls: text(),
    not_calls: text(),
    at_most: least(0),
    at_least: least(0),
    turns_at_most: least(1),
    usd_at_most: least(0),
    seconds_at_most: least(0),
    function: text(),
    judge: text(),
  },
  'a table',
);

/** One thing that is expected of a run, each by the key that it is written with. */
export type Expectation =
  | { kind: 'contains'; text: string }
  | { kind: 'matches'; pattern: string }
  | { kind: 'schema'; path: string }
  | { kind: 'file'; path: string; contains?: string; matches?: string }
  | { kind: 'calls'; tool: string; atLeast: number; atMost?: number }
  | { kind: 'not_calls'; tool: string }
  | { kind: 'turns_at_most' | 'usd_at_most' | 'seconds_at_most'; most: number }
  | { kind: 'function'; path: string }
  | { kind: 'judge'; criterion: string; atLeast: number };

/** What a key says that the others are about, in the order in which they are looked for. */
const KINDS = [
  'file',
  'contains',
  'matches',
  'schema',
  'calls',
  'not_calls',
  'turns_at_most',
  'usd_at_most',
  'seconds_at_most',
  'function',
  'judge',
] as const;
type Kind = (typeof KINDS)[number];

/** The keys that may stand beside one. */
const BESIDE: Partial<Record<Kind, readonly string[]>> = {
  file: ['contains', 'matches'],
  calls: ['at_most', 'at_least'],
  judge: ['at_least'],
};

/** A judge gives 1 to 5; this is the least that passes where a file names none. */
const GOOD = 4;

/** An entry of `expect`. */
export const expectationSchema = v.pipe(
  written,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const kind = kindOf(value);
    if (kind === undefined)
      return addIssue({ message: `{key} expects nothing: give it one of ${KINDS.join(', ')}` });
    const stray = Object.keys(value).find((key) => key !== kind && BESIDE[kind]?.includes(key) !== true);
    if (stray !== undefined)
      addIssue({
        message: `{key} has no meaning beside ${kind}: make it an entry of its own`,
        path: [pathItem(value, stray)],
      });
  }),
  v.transform((value): Expectation => {
    const { contains, matches, at_most: atMost, at_least: atLeast } = value;
    const kind = kindOf(value) ?? 'contains';
    switch (kind) {
      case 'file':
        return {
          kind,
          path: value.file ?? '',
          ...(contains !== undefined && { contains }),
          ...(matches !== undefined && { matches }),
        };
      case 'contains':
        return { kind, text: contains ?? '' };
      case 'matches':
        return { kind, pattern: matches ?? '' };
      case 'schema':
        return { kind, path: value.schema ?? '' };
      case 'calls':
        // One that is only limited from above may be missing.
        return {
          kind,
          tool: value.calls ?? '',
          atLeast: atLeast ?? (atMost === undefined ? 1 : 0),
          ...(atMost !== undefined && { atMost }),
        };
      case 'not_calls':
        return { kind, tool: value.not_calls ?? '' };
      case 'function':
        return { kind, path: value.function ?? '' };
      case 'judge':
        return { kind, criterion: value.judge ?? '', atLeast: atLeast ?? GOOD };
      default:
        return { kind, most: value[kind] ?? 0 };
    }
  }),
);

function kindOf(value: v.InferOutput<typeof written>): Kind | undefined {
  return KINDS.find((kind) => value[kind] !== undefined);
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** An expectation as reports name it. */
export function expectationText(expectation: Expectation): string {
  switch (expectation.kind) {
    case 'contains':
      return `contains ${quoted(expectation.text)}`;
    case 'matches':
      return `matches /${expectation.pattern}/`;
    case 'schema':
    case 'function':
      return `${expectation.kind} ${expectation.path}`;
    case 'file': {
      const { path, contains, matches } = expectation;
      const parts = [
        ...(contains === undefined ? [] : [`contains ${quoted(contains)}`]),
        ...(matches === undefined ? [] : [`matches /${matches}/`]),
      ];
      return [`file ${path}`, ...parts].join(' ');
    }
    case 'calls': {
      const { tool, atLeast, atMost } = expectation;
      const most = atMost === undefined ? '' : ` at most ${atMost}`;
      return `calls ${tool}${atLeast > 1 ? ` at least ${atLeast}` : ''}${most}`;
    }
    case 'not_calls':
      return `not_calls ${expectation.tool}`;
    case 'judge':
      return `judge ${quoted(expectation.criterion)}`;
    default:
      return `${expectation.kind} ${expectation.most}`;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
