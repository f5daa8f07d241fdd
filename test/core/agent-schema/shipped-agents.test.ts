import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };
import { checkAgent } from '../../../src/authoring/loading/check-agent.ts';
import { checkDeployedAgent } from '../../../src/authoring/loading/check-deployed-agent.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import { conversationOf } from '../../../src/core/reports/conversation-report.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { findModule } from '../../../src/places/local/workspace/module-file.ts';
import { skillsIn } from '../../../src/authoring/loading/folders/skill-file.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const cwd = fileURLToPath(new URL('../../..', import.meta.url));
const agentsDir = `${cwd}/agents`;
const source = openAgentFolders({ cwd, env: {}, agentsDir: 'agents' });
const ports = {
  cwd,
  source,
  skillsIn,
  checkModule: findModule,
  openWorkspace: openFolderWorkspace,
  secrets: NO_SECRETS,
};

it.each(await source.list())('%s loads with all that it names, and nothing is odd about it', async (name) => {
  const loaded = await loadAgent(name, source);
  expect(loaded.agent.systemPrompt).not.toBe('');
  expect(await checkAgent(loaded, ports)).toEqual({ errors: [], warnings: [] });
  if (cdk.context.localAgents.includes(name)) return;
  expect(await checkDeployedAgent(loaded, ports)).toEqual({ errors: [], warnings: [] });
});

it.each([
  { name: 'digest', prompt: 'What matters?', stdin: 'The mill burns. The dam holds.\n' },
  { name: 'review', prompt: 'Review this', stdin: '+++ b/a.ts\n@@ -1 +1 @@\n-const a = 1;\n+const b = 2;\n' },
])('sub-agents of $name read its input by reference: no call copies it', async ({ name, prompt, stdin }) => {
  const folder = await tempFolder();
  const io = recordedIo(folder, { stdin });
  expect(await runAgent(name, { agentsDir, prompt }, io)).toBe(0);
  expect(io.out).not.toBe('');
  const { runs, close } = await openLocalStore(folder);
  onTestFinished(close);
  const [top, ...below] = await runs.tree(/^run (\S+)/.exec(io.err)?.[1] ?? '');
  const [first] = await runs.turns(top?.id ?? '');
  const { subAgents } = (await loadAgent(name, source)).agent;
  expect(first?.answer.calls.map((call) => call.arguments)).toEqual(
    subAgents.map((agent) => ({ agent, task: prompt })),
  );
  const told = await Promise.all(
    below.map(async ({ id }) => (await conversationOf(id, runs, loadOwnTools)).messages[0]),
  );
  expect(told).toEqual(subAgents.map(() => ({ role: 'user', text: `Task: ${prompt}\n\nInput:\n${stdin}` })));
});
