import { expect, test } from 'vitest';
import { MEMORY_TOOLS, TOOL_NAMES } from '../../src/core/agent-schema/tool-names.ts';
import { openStage } from '../fixtures/stage.ts';

// Tools that read a repository are offered where there is one.
const REPOSITORY = ['objects/info', 'objects/pack', 'refs/heads'];

// Every word of them is a part of the prompt: a change makes cached prompts anew, and may change what agents do.
test('models are told of each tool what they always were', async () => {
  const stage = await openStage(
    { top: () => 'done', kid: () => 'done' },
    { top: `tools = ${JSON.stringify(TOOL_NAMES)}\nsub_agents = ["kid"]\n[memory]\nsearch = true\n` },
    Object.fromEntries(REPOSITORY.map((folder) => [`.git/${folder}/none`, ''])),
  );
  await stage.run();
  const { tools = [] } = stage.asked[0]?.request ?? {};
  expect(tools.map(({ name }) => name)).toEqual(['call_agent', ...MEMORY_TOOLS, ...TOOL_NAMES].toSorted());
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot(
    '../fixtures/tool-definitions.json',
  );
});
