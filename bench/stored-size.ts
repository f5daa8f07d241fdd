import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startRun } from '../src/core/lifecycle/start.ts';
import { newRunId } from '../src/core/records/run-id.ts';
import { STORE_FOLDER } from '../src/places/local/local-store.ts';
import { TABLE_FILE } from '../src/places/local/store/lmdb/table.ts';
import { answer, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';

const TREES = 1_000;
const TEXT_LENGTH = 4 * 1024;

/** The size on disk of a tree of one agent with a task and an answer of 4 KB, taken from this project's documents. */
export async function measureStoredSize(): Promise<Row[]> {
  const prose = ['CONTRIBUTING.md', 'docs/agents.md', 'docs/security.md', 'docs/limits.md']
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  let at = 0;
  const nextText = () => {
    at = (at + 1_237) % (prose.length - TEXT_LENGTH);
    return prose.slice(at, at + TEXT_LENGTH);
  };
  const model = { send: async () => ({ ...answer(), text: nextText() }) };
  return withPipeline(model, async ({ executions, settled, ...pipeline }, cwd) => {
    const size = () => statSync(join(cwd, STORE_FOLDER, 'store', TABLE_FILE)).size;
    const run = async () => {
      const id = newRunId('scout', Date.now());
      const started = await startRun(id, { agent: 'scout', prompt: nextText() }, { executions, ...pipeline });
      await executions.wait(started);
      await settled();
    };
    await run();
    const before = size();
    for (let tree = 0; tree < TREES; tree++) await run();
    return [
      {
        what: 'a tree of one run, with a task and an answer of 4 KB: size on disk',
        value: (size() - before) / TREES / 1024,
        unit: ' KB',
        digits: 1,
        atMost: 10,
        counts: 'most',
      },
    ];
  });
}
