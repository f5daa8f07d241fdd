import { toJsonSchema, toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema';
import { format } from 'prettier';
import type * as v from 'valibot';
import { OPERATIONS, type Operation } from '../src/doors/api/operations.ts';
import { ProblemDetails } from '../src/doors/api/problem.ts';
import {
  Agent,
  AgentList,
  Link,
  RunList,
  RunMessages,
  RunResource,
  RunResult,
  RunTree,
} from '../src/doors/api/answers.ts';
import { StartRun } from '../src/doors/api/request-bodies.ts';
import { Conversation, RunOverview, TreeReport } from '../src/core/reports/run-schemas.ts';
import project from '../package.json' with { type: 'json' };

/** Schemas that clients have types for. */
const NAMED = {
  Agent,
  AgentList,
  Conversation,
  Link,
  Problem: ProblemDetails,
  Run: RunResource,
  RunList,
  RunMessages,
  RunOverview,
  RunResult,
  RunTree,
  StartRun,
  Totals: TreeReport,
};

/** One of these, as the place that answers is set up. */
const SECURITY = {
  iam: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'In an account: AWS Signature Version 4 for the service `execute-api`.',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'In an account whose environment has `jwt`: a token of its issuer, in place of a signature.',
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'Behind `cadre serve`: its token, where it has one.',
  },
};

const CONFIG: ConversionConfig = {
  target: 'draft-2020-12',
  // The form that a client sends, defaults left out; JSON Schema has no words for further checks.
  typeMode: 'input',
  ignoreActions: ['check'],
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
};

/** The OpenAPI document of the HTTP API: the text of schemas/openapi.json, which the API serves. */
export function openApiDocument(): Promise<string> {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Cadre',
      version: project.version,
      description:
        'Agents that delegate to agents. The same in an account and behind `cadre serve`, which asks for nothing on loopback unless it has a token.',
      license: { name: project.license, identifier: project.license },
    },
    servers: [
      {
        url: 'https://{api}.execute-api.{region}.amazonaws.com',
        description: 'An environment in an account',
        variables: { api: { default: 'a1b2c3d4e5' }, region: { default: 'us-east-1' } },
      },
      { url: 'http://127.0.0.1:8080', description: '`cadre serve`' },
    ],
    security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
    paths: toPaths(),
    components: {
      securitySchemes: SECURITY,
      schemas: toJsonSchemaDefs(NAMED, CONFIG),
      responses: {
        Problem: {
          description: 'What is wrong',
          ...toContent('application/problem+json', { $ref: '#/components/schemas/Problem' }),
        },
      },
    },
  };
  return format(JSON.stringify(document), { parser: 'json', printWidth: 110 });
}

function toPaths() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, operation] of Object.entries<Operation>(OPERATIONS)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: toOperation(operationId, operation),
    };
  }
  return paths;
}

function toOperation(operationId: string, operation: Operation) {
  const parameters = [
    ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...toParameters('query', operation.query),
    ...toParameters('header', operation.headers),
  ];
  return {
    operationId,
    summary: operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: toContent('application/json', toSchema(operation.body)) }),
    ...(operation.bytes && { requestBody: toContent('application/octet-stream', BYTES) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(
          ([status, { description, schema, type = 'application/json' }]) => {
            const body = schema
              ? toSchema(schema)
              : type === 'application/octet-stream'
                ? BYTES
                : { type: type === 'application/json' ? 'object' : 'string' };
            return [status, { description, ...(type !== 'none' && toContent(type, body)) }];
          },
        ),
      ),
      ...Object.fromEntries(
        [400, ...(operation.open ? [] : [401]), 403, ...operation.problems, 500, 503].map((status) => [
          status,
          PROBLEM,
        ]),
      ),
    },
    ...(operation.open && { security: [{}, { iam: [] }, { jwt: [] }] }),
  };
}

const BYTES = { type: 'string', format: 'binary' };
const PROBLEM = { $ref: '#/components/responses/Problem' };

function toParameters(place: string, entries: Operation['query']) {
  if (entries === undefined) return [];
  const { properties = {}, required = [] } = toSchema(entries);
  return Object.entries(properties).map(([name, schema]) => ({
    name: place === 'header' ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
    in: place,
    required: required.includes(name),
    schema,
  }));
}

function toContent(type: string, schema: object) {
  return { content: { [type]: { schema } } };
}

function toSchema(schema: v.GenericSchema) {
  const { $schema: _, $defs: _named, ...rest } = toJsonSchema(schema, { ...CONFIG, definitions: NAMED });
  return rest;
}
