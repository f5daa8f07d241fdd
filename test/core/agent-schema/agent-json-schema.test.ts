import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { agentJsonSchema } from '../../../scripts/agent-json-schema.ts';

it('the JSON Schema that is shipped is the one that the loader goes by (else: npm run generate)', async () => {
  const shipped = await readFile(new URL('../../../schemas/agent.schema.json', import.meta.url), 'utf8');
  expect(shipped).toBe(await agentJsonSchema());
});
