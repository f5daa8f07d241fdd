import { writeFile } from 'node:fs/promises';
import { BUCKET } from '../src/core/machine/bucket.ts';
import { CONVERSATION } from '../src/core/machine/conversation.ts';
import { LEAF_CONVERSATION } from '../src/core/machine/leaf-conversation.ts';
import { agentJsonSchema } from './agent-json-schema.ts';
import { definitionText } from './definition-text.ts';
import { openApiDocument } from './openapi-document.ts';

/** Writes everything that is generated and checked in: npm run generate */
const root = new URL('../', import.meta.url);
await writeFile(new URL('schemas/agent.schema.json', root), await agentJsonSchema());
await writeFile(new URL('schemas/openapi.json', root), await openApiDocument());
await writeFile(new URL('infra/conversation.asl.json', root), await definitionText(CONVERSATION));
await writeFile(new URL('infra/bucket.asl.json', root), await definitionText(BUCKET));
await writeFile(new URL('infra/leaf-conversation.asl.json', root), await definitionText(LEAF_CONVERSATION));
