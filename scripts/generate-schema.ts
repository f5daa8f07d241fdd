import { writeFile } from 'node:fs/promises';
import { agentJsonSchema } from './agent-json-schema.ts';
import { openApiDocument } from './openapi-document.ts';

/** Writes what is generated in schemas/ anew: npx tsx scripts/generate-schema.ts */
const folder = new URL('../schemas/', import.meta.url);
await writeFile(new URL('agent.schema.json', folder), await agentJsonSchema());
await writeFile(new URL('openapi.json', folder), await openApiDocument());
