import { join } from 'node:path';
import { MAX_TURNS } from '../src/core/turn/turn.ts';
import type { Model } from '../src/core/model/model.ts';
import { recordingOf } from '../src/authoring/replay/recording.ts';
import { replay } from '../src/authoring/replay/replay.ts';
import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import { openFolderWorkspace } from '../src/places/local/workspace/folder-workspace.ts';
import { answer, delegate, isLead, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import { runNode } from './node-process.ts';
import type { Row } from './row.ts';

/** The first replay of a process, from the store to its verdict, and the whole command. */
export async function measureReplay(): Promise<Row[]> {
  const model: Model = {
    async send(request) {
      return isLead(request) && turnsSoFar(request) < MAX_TURNS - 1 ? delegate(1) : answer();
    },
  };
  return withPipeline(model, async (pipeline, folder) => {
    const { id } = await runLead(pipeline);
    const source = openAgentFolders({ cwd: folder, env: {}, agentsDir: 'agents' });
    const start = performance.now();
    const recording = await recordingOf(id, pipeline.store);
    const replayed = await replay(recording, { cwd: folder, source, openWorkspace: openFolderWorkspace });
    const took = performance.now() - start;
    if (replayed.difference !== undefined || replayed.turns !== 2 * MAX_TURNS - 1) {
      throw new Error(`the replay went wrong: ${JSON.stringify(replayed)}`);
    }
    const command = runNode([join(process.cwd(), 'bin/cadre.js'), 'replay', id], { cwd: folder });
    const what = `replay of ${MAX_TURNS} turns with a sub-agent each`;
    const time = { unit: ' ms', digits: 0, atMost: 500, counts: 'least' } as const;
    return [
      { ...time, what, value: took },
      { ...time, what: `${what}: process time`, value: command.milliseconds },
    ];
  });
}
