import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { showMemory } from '../../../src/doors/cli/commands/memory.ts';
import { resume } from '../../../src/doors/cli/commands/resume.ts';
import { listRuns } from '../../../src/doors/cli/commands/runs.ts';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import type { Io } from '../../../src/doors/cli/terminal/io.ts';
import type { Environment } from '../../../src/places/environment.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { projectOf, STORES } from '../../fixtures/earlier-release.ts';

const Overview = v.object({ run_id: v.string(), agent: v.string(), status: v.string() });
const Shown = v.object({
  runs: v.array(v.object({ agent: v.string(), status: v.string() })),
  messages: v.array(v.unknown()),
});

async function look<T>(
  cwd: string,
  schema: v.GenericSchema<unknown, T>,
  command: (environment: Environment, io: Io) => Promise<number>,
): Promise<T> {
  const io = recordedIo(cwd);
  expect(await withEnvironment(io, {}, (environment) => command(environment, io))).toBe(0);
  return v.parse(v.pipe(v.string(), v.parseJson(), schema), io.out);
}

/** The tops by agent: their ids, and how they are. */
async function tops(cwd: string): Promise<Map<string, { id: string; status: string }>> {
  const runs = await look(cwd, v.array(Overview), (environment, io) =>
    listRuns(environment, { json: true, limit: 10 }, io),
  );
  return new Map(runs.map(({ agent, run_id, status }) => [agent, { id: run_id, status }]));
}

const show = (cwd: string, id: string) =>
  look(cwd, Shown, (environment, io) => showRun(id, environment, { json: true, messages: true }, io));

/** The runs of agents that only newer stores have. */
const BESIDE: [string, [string, string[], number]] = [
  'beside',
  ['interrupted', ['beside interrupted', 'slow interrupted'], 4],
];

describe.each(await readdir(STORES))('a store of release %s', (release) => {
  const hasBeside = existsSync(join(STORES, release, 'agents/beside.toml'));

  test('is listed and shown as it was left', async () => {
    const cwd = await projectOf(release);
    const all = await tops(cwd);
    const shown = await Promise.all(
      [...all].map(async ([agent, { id, status }]) => {
        const { runs, messages } = await show(cwd, id);
        return [agent, status, runs.map((run) => `${run.agent} ${run.status}`), messages.length];
      }),
    );
    expect(new Map(shown.map(([agent, ...rest]) => [agent, rest]))).toEqual(
      new Map<string, [string, string[], number]>([
        ['finished', ['succeeded', ['finished succeeded', 'quick succeeded'], 4]],
        // The third message has the results of the calls that ended before it was interrupted.
        ['halted', ['interrupted', ['halted interrupted', 'quick succeeded', 'slow interrupted'], 3]],
        ['failed', ['failed', ['failed failed'], 1]],
        ...(hasBeside ? [BESIDE] : []),
      ]),
    );
    const memory = recordedIo(cwd);
    await showMemory('finished', {}, memory);
    expect(memory.out).toMatch(/^## [\dT:-]+Z\n\*\*Task:\*\* (words )+.*\n\*\*Result:\*\* quick\n/);
  });

  test.each([
    ['finished', 'quick'],
    ['halted', 'quick\n\nslow'],
    ['failed', 'all is well'],
    ...(hasBeside ? [['beside', 'slow has ended']] : []),
  ])('has a run of "%s" that can be resumed', async (agent, answer) => {
    const cwd = await projectOf(release);
    const id = (await tops(cwd)).get(agent)?.id ?? '';
    const before = await show(cwd, id);
    const io = recordedIo(cwd);
    expect(await resume(id, {}, io)).toBe(0);
    expect(io.out).toBe(answer);
    // Runs that had their answers have kept them as they were.
    const after = await show(cwd, id);
    const done = before.runs.filter(({ status }) => status === 'succeeded');
    expect(after.runs).toEqual(expect.arrayContaining(done));
    const ended = agent === 'beside' ? ['succeeded', 'idle'] : ['succeeded'];
    expect(new Set(after.runs.map(({ status }) => status))).toEqual(new Set(ended));
  });
});
