import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../scripts/openapi-document.ts';
import { OPERATIONS, type Operation } from '../../../src/doors/api/operations.ts';
import { serveAgents } from './served-agents.ts';

const Document = v.object({
  openapi: v.string(),
  paths: v.record(v.string(), v.record(v.string(), v.object({ operationId: v.string() }))),
  components: v.object({
    schemas: v.record(v.string(), v.unknown()),
    responses: v.record(v.string(), v.unknown()),
  }),
});

test('the document is served', async () => {
  const text = await readFile(new URL('../../../schemas/openapi.json', import.meta.url), 'utf8');
  const { get } = await serveAgents({});
  expect((await get('/openapi.json')).body).toEqual(JSON.parse(text));
});

test('every route of the document is there, and takes no other method', async () => {
  const { get, ask } = await serveAgents({ top: () => '' });
  const document = v.parse(Document, (await get('/openapi.json')).body);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(document.openapi).toBe('3.1.0');
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(OPERATIONS).sort());
  for (const [path, methods] of Object.entries(document.paths)) {
    const asked = path.replace('{name}', 'top').replace('{id}', 'top-00000000000000');
    expect((await ask('PATCH', asked)).headers.get('allow')).toBe(
      Object.keys(methods).join(', ').toUpperCase(),
    );
  }
});

test('no route takes a parameter that the document does not list, but for those of a signature', async () => {
  const { ask } = await serveAgents({ top: () => '' });
  for (const { method, path } of Object.values<Operation>(OPERATIONS)) {
    const asked = path
      .replace('{name}', 'top')
      .replace('{id}', 'top-00000000000000')
      .replace('{question}', 'x');
    expect((await ask(method.toUpperCase(), `${asked}?made_up=1`)).body['detail']).toMatch(
      /^made_up is not known; (known here: \w|this route takes no parameters$)/,
    );
  }
  expect((await ask('GET', '/agents?X-Amz-Signature=abc')).status).toBe(200);
});

test('every reference in the document leads somewhere', async () => {
  const text = await openApiDocument();
  const { components } = v.parse(Document, JSON.parse(text));
  const known = [
    ...Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(components.responses).map((name) => `#/components/responses/${name}`),
  ];
  const used = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference]) => reference);
  expect(known).toEqual(expect.arrayContaining(used));
  expect(used.length).toBeGreaterThan(10);
});
