import { format } from 'prettier';
import * as v from 'valibot';

/** The parts of a JSON Schema that pages show. */
export const Schema = v.looseObject({
  type: v.optional(v.union([v.string(), v.array(v.string())])),
  description: v.optional(v.string()),
  enum: v.optional(v.array(v.unknown())),
  const: v.optional(v.unknown()),
  default: v.optional(v.unknown()),
  $ref: v.optional(v.string()),
  items: v.optional(v.unknown()),
  anyOf: v.optional(v.array(v.unknown())),
  oneOf: v.optional(v.array(v.unknown())),
  properties: v.optional(v.record(v.string(), v.unknown())),
  required: v.optional(v.array(v.string()), []),
});

/** A page that `npm run generate` writes. @param source where its contents come from, in the repository */
export async function page(title: string, source: string, ...parts: readonly string[]): Promise<string> {
  const head = `# ${title}\n\n<!-- Written by npm run generate, from ${source}. -->\n`;
  return format([head, ...parts].join('\n\n'), { parser: 'markdown', printWidth: 110 });
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The properties of an object as a table; "" where it has none. */
export function propertiesTable(schema: unknown): string {
  const { properties = {}, required } = v.parse(Schema, schema);
  const rows = Object.entries(properties).map(([name, property]) => [
    `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`,
    typeWords(property),
    v.parse(Schema, property).description ?? '',
  ]);
  return rows.length === 0 ? '' : table(['name', 'type', 'what it is'], rows);
}

/** A type in a few words: `string`, `"a"` or `"b"`, `list of string`. */
export function typeWords(schema: unknown): string {
  const { type, enum: values, const: value, $ref, items, anyOf, oneOf } = v.parse(Schema, schema);
  const all = value === undefined ? values : [value];
  if (all !== undefined) return all.map((each) => `\`${JSON.stringify(each)}\``).join(' or ');
  if ($ref !== undefined) return `\`${$ref.split('/').at(-1)}\``;
  if (items !== undefined) return `list of ${typeWords(items)}`;
  const ways = anyOf ?? oneOf;
  if (ways !== undefined) return [...new Set(ways.map(typeWords))].join(' or ');
  return typeof type === 'string' ? type : (type ?? ['anything']).join(' or ');
}
