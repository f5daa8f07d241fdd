import type { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import packageJson from '../../package.json' with { type: 'json' };
import { readable } from './synthesise.ts';

/** What is on one line with what it belongs to, where there is room. */
const WIDTH = 200;

const Resources = v.record(v.string(), v.looseObject({ Type: v.string() }));
const Outputs = v.optional(v.record(v.string(), v.looseObject({ Value: v.unknown() })), {});

const Pairs = v.pipe(
  v.array(
    v.union([
      v.strictObject({ Name: v.string(), Value: v.unknown() }),
      v.strictObject({ Key: v.string(), Value: v.unknown() }),
    ]),
  ),
  v.minLength(1),
);

/**
 * The resources of a template in lines: each with its type, and with all of its properties as they are read, sorted by
 * name. Digests of CDK and of files are left out, since they change with the code of functions.
 */
export function templateLines(template: Template): string[] {
  const { Resources: resources, Outputs: outputs } = v.parse(
    v.looseObject({ Resources, Outputs }),
    template.toJSON(),
  );
  const described = Object.entries(resources).map(([id, { Type: type, Metadata: _cdk, ...rest }]) => {
    const { Properties: properties, ...others } = rest;
    const head = `${idOf(id)} ${type}`;
    return [head, ...membersOf({ ...others, ...Object(properties) }).map((line) => `  ${line}`)];
  });
  const told = Object.entries(outputs).map(([name, { Value }]) => linesOf(Value, `output ${name}: `));
  return [...described, ...told].toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)).flat();
}

function membersOf(members: object): string[] {
  return Object.entries(members)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, value]) =>
      key === 'DefinitionString' ? usedBy(value) : linesOf(value, `${idOf(key)}: `),
    );
}

/** Definitions of machines are compared elsewhere: here, only what is put into them. */
function usedBy(definition: unknown): string[] {
  return [...new Set(readable(definition).match(/<\w[^<>]*>/g))].map((used) => `uses ${used}`);
}

/** @param label in front of the first line */
function linesOf(value: unknown, label: string): string[] {
  const inner = named(parsed(value));
  if (typeof inner !== 'object' || inner === null) return [label + quoted(String(inner))];
  const list = Array.isArray(inner);
  const parts = list ? inner.flatMap((each) => linesOf(each, '- ')) : membersOf(inner);
  const line = list
    ? `${label}[${inner.flatMap((each) => linesOf(each, '')).join(', ')}]`
    : `${label}{ ${parts.join(', ')} }`;
  if (line.length <= WIDTH && parts.every((part) => !part.startsWith(' '))) return [line];
  return [label.trimEnd(), ...parts.map((part) => `  ${part}`)];
}

/** Lists of names with their values as objects. */
function named(value: unknown): unknown {
  const pairs = v.safeParse(Pairs, value);
  if (!pairs.success) return value;
  return Object.fromEntries(pairs.output.map((pair) => ['Name' in pair ? pair.Name : pair.Key, pair.Value]));
}

/** Expressions as their text, and texts in JSON as what they say. */
function parsed(value: unknown): unknown {
  const [key = '', ...others] = Object.keys(Object(value));
  const isExpression = typeof value === 'object' && others.length === 0 && /^(Ref$|Fn::)/.test(key);
  const text = isExpression ? readable(value) : value;
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function idOf(id: string): string {
  return id.replace(/(?:[0-9A-F]{8}|[0-9A-F]{8}[0-9a-f]{32})$/, '');
}

function quoted(text: string): string {
  const known = (text === packageJson.version ? '…' : text)
    .replace(/\b[0-9a-f]{64}\b/g, '…')
    .replace(/(?<=[A-Za-z])[0-9A-F]{8}(?:[0-9a-f]{32})?\b/g, '');
  return /[\n\t]/.test(known) ? JSON.stringify(known) : known;
}
