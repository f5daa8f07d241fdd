import { expect, test } from 'vitest';
import { ownerWarnings } from '../../../src/authoring/loading/owner-warnings.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

async function warningsOf(more: string): Promise<string[]> {
  const cwd = await tempFolder({ 'agents/a.toml': `name = "a"\nmodel = "offline/extractive"\n${more}` });
  const { agent } = await loadAgent('a', openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }));
  return ownerWarnings(agent);
}

const MEMORY = expect.stringContaining(
  'agent "a": each person whose token starts a run has a memory of their own',
);
const FILES = expect.stringContaining(
  'agent "a": each person whose token starts a run has files of their own',
);

test.each([
  ['', []],
  ['tools = ["ask_user"]\n', []],
  ['[memory]\nenabled = true\n', [MEMORY]],
  ['[memory]\nenabled = true\nowner = "person"\n', []],
  ['files = ["*.md"]\n', [FILES]],
  ['tools = ["files:read"]\n', [FILES]],
  ['files = ["*.md"]\n[workspace]\nowner = "agent"\n', []],
  ['tools = ["files"]\n[memory]\nenabled = true\n', [MEMORY, FILES]],
])('an agent warns of what persons may miss, until its file says whose it is: %j', async (more, warnings) => {
  expect(await warningsOf(more)).toEqual(warnings);
});
