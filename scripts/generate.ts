import { writeFile } from 'node:fs/promises';
import { CONVERSATION } from '../src/core/machine/conversation.ts';
import { LEAF_CONVERSATION } from '../src/core/machine/leaf-conversation.ts';
import { agentJsonSchema } from './agent-json-schema.ts';
import { definitionText } from './definition-text.ts';
import { openApiDocument } from './openapi-document.ts';
import { CONCEPT_PICTURES } from './pictures/concepts.ts';
import { commandsPage } from './reference/commands.ts';
import { httpPage } from './reference/http.ts';
import { toolsPage } from './reference/tools.ts';

/** Writes everything that is generated and checked in: npm run generate */
const root = new URL('../', import.meta.url);
await writeFile(new URL('schemas/agent.schema.json', root), await agentJsonSchema());
await writeFile(new URL('schemas/openapi.json', root), await openApiDocument());
await writeFile(new URL('infra/conversation.asl.json', root), await definitionText(CONVERSATION));
await writeFile(new URL('infra/leaf-conversation.asl.json', root), await definitionText(LEAF_CONVERSATION));
await writeFile(new URL('docs/reference/commands.md', root), await commandsPage());
await writeFile(new URL('docs/reference/http.md', root), await httpPage());
await writeFile(new URL('docs/reference/tools.md', root), await toolsPage());
for (const [name, draw] of Object.entries(CONCEPT_PICTURES)) {
  await writeFile(new URL(`docs/pictures/${name}`, root), draw());
}
