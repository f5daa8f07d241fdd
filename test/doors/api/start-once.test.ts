import { expect, onTestFinished, test } from 'vitest';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { startOnce } from '../../../src/doors/api/start-run.ts';
import type { Executions } from '../../../src/core/machine/executions.ts';
import { FORMAT } from '../../../src/core/machine/format.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { Overrides } from '../../../src/core/records/request.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ID = 'top-00000000000000';
const notAsked = () => Promise.reject(new Error('not asked for'));
/** Executions that begin later than the test looks. */
const executions: Executions = {
  start: (name) => Promise.resolve(`arn-of-${name}`),
  isRunning: notAsked,
  wait: notAsked,
  stop: notAsked,
};

test.each<[string, string, Overrides, string, number]>([
  ['nobody sets one', '', {}, 'm/own', 120],
  ['the agent sets one', 'timeout = 60\n', {}, 'm/own', 60],
  ['the caller sets one', 'timeout = 60\n', { timeout: 9, model: 'm/other' }, 'm/other', 9],
])(
  'a run that has just been started has a whole record, with its timeout where %s',
  async (_, lines, overrides, model, timeout) => {
    const cwd = await tempFolder({ 'agents/top.toml': `name = "top"\nmodel = "m/own"\n${lines}` });
    const { runs, close } = await openLocalStore(cwd);
    onTestFinished(close);
    const { agent } = await loadAgent('top', openAgentFolders({ cwd, env: { HOME: cwd } }));
    const request = { agent: 'top', prompt: '', context: ' the\n text ', overrides };
    const ports = { runs, executions, now: () => Date.parse('2026-01-01T00:00:00.000Z') };

    const run = await startOnce(ID, request, agent, ports);

    expect(run).toEqual({
      id: ID,
      v: FORMAT,
      root: ID,
      path: '',
      agent: 'top',
      model,
      depth: 0,
      status: 'running',
      startedAt: '2026-01-01T00:00:00.000Z',
      task: 'the text',
      holder: 1,
      execution: `arn-of-${ID}`,
      timeout,
      usage: { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
    });
    expect(await runs.run(ID)).toEqual(run);
    expect(await runs.request(ID)).toEqual(request);
  },
);
