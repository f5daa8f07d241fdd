import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { resolveContext } from '../../src/agent/context.ts';
import { loadAgent } from '../../src/agent/load-agent.ts';
import { openAgentFolders } from '../../src/workspace/agent-folders.ts';
import { openFolderWorkspace } from '../../src/workspace/folder-workspace.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const source = openAgentFolders({ cwd, env: {}, agentsDir: 'agents' });
const names = await source.list();

it.each(names)('%s loads with all that it names, and nothing is odd about it', async (name) => {
  const loaded = await loadAgent(name, source);
  expect(loaded.warnings).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(loaded.agent.subAgents));
  const context = await resolveContext(loaded, {}, { cwd, source, openWorkspace: openFolderWorkspace });
  expect(context.systemPrompt).not.toBe('');
});
