import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { RunOverview } from '../../src/core/reports/run-schemas.ts';
import { elapsed } from '../../src/core/reports/words/elapsed.ts';
import { millis } from '../../src/core/records/times.ts';
import { newRunId } from '../../src/core/records/run-id.ts';
import type { Run } from '../../src/core/records/run.ts';
import { aRun, aTurn, keepRun, STATUSES } from '../fixtures/records.ts';
import { typed } from '../fixtures/typed.ts';
import { serveAgents } from './api/served-agents.ts';

const iso = (second: number) =>
  new Date(Date.parse('2026-01-01T00:00:00.000Z') + 1_000 * second).toISOString();

/** It worked for 20 seconds, was resumed 80 seconds later, and made its newest turn 17 seconds after that. */
function resumed(status: Run['status']): Run {
  const id = newRunId('top', Date.parse(iso(0)));
  const began = { id, root: id, status, holder: 2, startedAt: iso(0), resumedAt: iso(100) };
  const ended = status === 'running' ? {} : { endedAt: iso(117) };
  return aRun({
    ...began,
    ...ended,
    workedMs: millis(20_000),
    gaps: [['gap', Date.parse(iso(20)), Date.parse(iso(100))]],
  });
}

const List = v.object({ runs: v.array(RunOverview) });

describe('the duration of a run', () => {
  test.each(STATUSES)('is the same at every door: %s', async (status) => {
    const { get, server, stage } = await serveAgents({ top: () => '' });
    const run = resumed(status);
    await keepRun(stage.pipeline.store, run);
    await stage.pipeline.store.saveTurn(run.id, aTurn({ at: iso(117), latencyMs: 2_000 }));
    const now = Date.parse(iso(1_000));
    const listed = v.parse(List, (await get('/runs')).body).runs;
    const tree = v.parse(List, (await get(`/runs/${run.id}/tree`)).body).runs;
    const events = await (await fetch(`${server.url}/runs/${run.id}/tree/events`)).text();
    const told = v.parse(List, JSON.parse(/^data: (.*)$/m.exec(events)?.[1] ?? '')).runs;
    // Nothing carries it, so that one at work is interrupted.
    expect([...listed, ...tree, ...told].map((each) => elapsed(each, now))).toEqual([37_000, 37_000, 37_000]);
    for (const line of [['runs'], ['show', run.id]]) {
      expect((await typed(line, stage.cwd)).out.split('\n')[0]).toMatch(/ 37\.0s/);
    }
  });
});
