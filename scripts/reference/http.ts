import * as v from 'valibot';
import { openApiDocument } from '../openapi-document.ts';
import { page, propertiesTable, table, typeWords } from './page.ts';

const Content = v.optional(v.record(v.string(), v.object({ schema: v.unknown() })), {});
const Operation = v.object({
  summary: v.string(),
  description: v.optional(v.string(), ''),
  parameters: v.optional(
    v.array(
      v.object({
        name: v.string(),
        in: v.string(),
        description: v.optional(v.string(), ''),
        schema: v.unknown(),
      }),
    ),
    [],
  ),
  requestBody: v.optional(v.object({ content: Content }), { content: {} }),
  responses: v.record(
    v.string(),
    v.object({ description: v.optional(v.string()), $ref: v.optional(v.string()), content: Content }),
  ),
});
const Document = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    paths: v.record(v.string(), v.record(v.string(), Operation)),
    components: v.object({ schemas: v.record(v.string(), v.unknown()) }),
  }),
);

/** docs/reference/http.md: every route of the OpenAPI document. */
export async function httpPage(): Promise<string> {
  const api = v.parse(Document, await openApiDocument());
  const routes = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      routeParts(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const schemas = Object.entries(api.components.schemas).flatMap(([name, schema]) => [
    `### \`${name}\``,
    propertiesTable(schema),
  ]);
  return page(
    'Routes of the HTTP API',
    'schemas/openapi.json',
    'Every route with its parameters and answers. [The HTTP API](../http-api.md) says how to use them, and ' +
      '[schemas/openapi.json](../../schemas/openapi.json) is the same for programs.',
    ...routes,
    '## Objects',
    ...schemas,
  );
}

function routeParts(
  route: string,
  { summary, description, parameters, requestBody, responses }: v.InferOutput<typeof Operation>,
): string[] {
  const taken = parameters.map(({ name, in: place, schema, description: what }) => [
    `\`${name}\``,
    place,
    typeWords(schema),
    what,
  ]);
  const bodies = Object.entries(requestBody.content).flatMap(([type, { schema }]) => [
    `Body: ${type === 'application/json' ? typeWords(schema) : `\`${type}\``}`,
    propertiesTable(schema),
  ]);
  const all = Object.entries(responses);
  const answers = all.flatMap(([status, { description: what, content }]) => {
    if (what === undefined) return [];
    const types = Object.entries(content).map(([type, { schema }]) =>
      type === 'application/json' ? typeWords(schema) : `\`${type}\``,
    );
    return [[status, what, types.join(', ')]];
  });
  // Problems are the same for all routes.
  const problems = all.filter(([, { $ref }]) => $ref !== undefined).map(([status]) => status);
  if (problems.length > 0) answers.push([problems.join(', '), 'what is wrong', '`Problem`']);
  return [
    `## \`${route}\``,
    `${summary}.`,
    description,
    ...(taken.length === 0 ? [] : [table(['parameter', 'in', 'type', 'what it is'], taken)]),
    ...bodies,
    table(['status', 'meaning', 'content'], answers),
  ];
}
