import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkAgent, checkDeployedAgent } from '../../src/agent/check-agent.ts';
import { loadAgent } from '../../src/agent/load-agent.ts';
import { openAgentFolders } from '../../src/workspace/agent-folders.ts';
import { openFolderWorkspace } from '../../src/workspace/folder-workspace.ts';
import { skillsIn } from '../../src/workspace/skill-file.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const source = openAgentFolders({ cwd, env: {}, agentsDir: 'agents' });
const ports = { cwd, source, skillsIn, openWorkspace: openFolderWorkspace };

it.each(await source.list())('%s loads with all that it names, and nothing is odd about it', async (name) => {
  const loaded = await loadAgent(name, source);
  expect(loaded.agent.systemPrompt).not.toBe('');
  expect(await checkAgent(loaded, ports)).toEqual({ errors: [], warnings: [] });
  expect(await checkDeployedAgent(loaded, ports)).toEqual({ errors: [], warnings: [] });
});
