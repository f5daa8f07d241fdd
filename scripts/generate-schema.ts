import { writeFile } from 'node:fs/promises';
import { agentJsonSchema } from './agent-json-schema.ts';

/** Writes schemas/agent.schema.json anew: npx tsx scripts/generate-schema.ts */
await writeFile(new URL('../schemas/agent.schema.json', import.meta.url), await agentJsonSchema());
