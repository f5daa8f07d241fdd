import { isJsonObject, type Json, type JsonObject } from '../../../json.ts';
import type { ToolParameters } from '../../../core/records/message.ts';

const KEYWORD = 'x-mcp-header';
const TYPES = ['string', 'integer', 'boolean'];
/** A name of a header (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Arguments that a server wants to have as headers too, so that services in front of it can read them
 * (modelcontextprotocol.io, "Custom headers from tool parameters"): a schema of nothing but these.
 * @returns undefined where there are none; `invalid` where one is named in a way that clients must not accept
 */
export function mirroredArguments(schema: Json): ToolParameters | 'invalid' | undefined {
  const wanted = JSON.stringify(schema).split(`"${KEYWORD}":`).length - 1;
  if (wanted === 0) return undefined;
  const names: string[] = [];
  const properties = collect(schema, names);
  const areUnique = new Set(names.map((name) => name.toLowerCase())).size === names.length;
  return names.length === wanted && areUnique ? { type: 'object', properties } : 'invalid';
}

/** Those below a chain of `properties`: anywhere else, it would be unclear which argument is meant. */
function collect(schema: Json | undefined, names: string[]): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  const found = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(
    ([name, each]): [string, Json][] => {
      if (!isJsonObject(each)) return [];
      const { type, [KEYWORD]: header } = each;
      if (typeof header === 'string' && TOKEN.test(header) && TYPES.some((known) => known === type)) {
        names.push(header);
        return [[name, { type: type ?? null, [KEYWORD]: header }]];
      }
      const inside = collect(each, names);
      return Object.keys(inside).length === 0 ? [] : [[name, { type: 'object', properties: inside }]];
    },
  );
  return Object.fromEntries(found);
}
