import { seconds } from '../../../src/core/records/times.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startRecorded } from '../../../src/places/start-recorded.ts';
import { checkRequest } from '../../../src/places/local/check-request.ts';
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
  stop: notAsked,
};

test.each<[string, string, Overrides, string, number]>([
  ['nobody sets one', '', {}, 'ollama/own', 120],
  ['the agent sets one', 'timeout = 60\n', {}, 'ollama/own', 60],
  [
    'the caller sets one',
    'timeout = 60\n',
    { timeout: seconds(9), model: 'ollama/other' },
    'ollama/other',
    9,
  ],
])(
  'a run that has just been started has a whole record, with its timeout where %s',
  async (_, lines, overrides, model, timeout) => {
    const cwd = await tempFolder({ 'agents/top.toml': `name = "top"\nmodel = "ollama/own"\n${lines}` });
    const { runs, close } = await openLocalStore(cwd);
    onTestFinished(close);
    const source = openAgentFolders({ cwd, env: { HOME: cwd } });
    const request = { agent: 'top', prompt: '', context: ' the\n text ', overrides };
    const ports = { store: runs, executions, now: () => Date.parse('2026-01-01T00:00:00.000Z') };

    const run = await startRecorded(
      { id: ID, request },
      ports,
      async (asked) => (await checkRequest(asked, cwd, { source })).agent,
    );

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
