import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { openFolder } from '../../../src/places/local/open-folder.ts';
import { createVirtualTime } from '../../../src/places/testing/virtual-time.ts';
import type { Service } from '../../../src/token-usage.ts';
import { cases } from '../../fixtures/cases.ts';
import { startBatchServer, type Fate } from '../../fixtures/batch-server.ts';
import { isNight } from '../../fixtures/nightly.ts';
import { createPromptCache, type CountedPrompt } from '../../fixtures/prompt-cache.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

/**
 * Nights of trees with three levels, whose models are asked in batches and at once, and what they cost. The table of
 * docs/batches.md has the figures.
 */

const TREES = cases(400);
/** How many of these nights make one of the table. */
const NIGHTS = 400 / TREES;
const MODEL = 'anthropic/claude-sonnet-4-5';
const DAY_MS = 86_400_000;

/** So many letters of something that is the same each time. */
const text = (about: string, letters: number) => `${about} `.repeat(Math.ceil(letters / (about.length + 1)));
const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "${MODEL}"\nsystem_prompt = """You are ${name}. ${text(`Rules of ${name}.`, 6_000)}"""\n${more}`;

const FILES = {
  'agents/report.toml': agent('report', 'sub_agents = ["region"]\n'),
  'agents/region.toml': agent('region', 'sub_agents = ["shop"]\n'),
  'agents/shop.toml': agent('shop'),
};

const SHOPS = 2;
const TURNS_OF_TREE = 2 + 2 + SHOPS;

/** What the models say: the first two levels call the next one, and all report. */
function lineOf(params: Record<string, unknown>, usage: CountedPrompt): Fate {
  const [system, messages] = [JSON.stringify(params['system']), JSON.stringify(params['messages'])];
  const calls = (name: string, tasks: string[]) =>
    tasks.map((task, index) => ({
      type: 'tool_use',
      id: `c${index}`,
      name: 'call_agent',
      input: { agent: name, task },
    }));
  const [night = ''] = /night \d+/.exec(messages) ?? [];
  const isBack = messages.includes('"tool_result"');
  const content =
    isBack || system.includes('You are shop')
      ? [{ type: 'text', text: text(`Figures of ${night}.`, 2_000) }]
      : system.includes('You are region')
        ? calls('shop', [`the first shop in ${night}`, `the second shop in ${night}`])
        : calls('region', [`the region in ${night}`]);
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const output_tokens = Math.ceil(JSON.stringify(content).length / 4);
  return {
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content,
      stop_reason,
      usage: { ...usage, output_tokens },
    },
  };
}

/** A project with a provider that has batches, and time of its own. */
async function openNights() {
  const time = createVirtualTime(Date.parse('2030-01-01T02:00:00Z'));
  const count = createPromptCache(time.now);
  const server = await startBatchServer({
    answer: (params, batch) => lineOf(params, count(params, batch ?? params)),
    // Most batches take less than an hour.
    isOver: ({ createdAt }) => time.now() - createdAt > 1_200_000,
    now: time.now,
  });
  onTestFinished(() => server.close());
  const cwd = await tempFolder({
    ...FILES,
    'no-config/cadre/config.toml': `[providers.anthropic]\napi_key = "a-key-of-ours"\nbase_url = "${server.url}"\n`,
  });
  const sources = await localSources({ cwd, env: { XDG_CONFIG_HOME: join(cwd, 'no-config') }, time });
  const environment = await openFolder({ cwd, time, sources: async () => sources });
  onTestFinished(() => environment.close());

  let nights = 0;
  return {
    cwd,
    server,
    /** So many trees of one night, and what they cost together, in billionths of a dollar. */
    async night(trees: number, service?: Service): Promise<{ nanoUsd: number; turns: number; runs: Run[] }> {
      await time.letPass(new Promise<void>((resolve) => void time.after(DAY_MS, resolve)));
      const overrides = service === undefined ? {} : { overrides: { service } };
      const started = Array.from({ length: trees }, () => {
        const id = newRunId('report', time.now());
        return time.during(
          environment.start({
            id,
            request: {
              agent: 'report',
              prompt: text(`Figures of night ${String(++nights).padStart(4, '0')}.`, 24_000),
              ...overrides,
            },
          }),
        );
      });
      const roots = await Promise.all(started);
      await time.letPass(Promise.all(roots.map(({ id }) => environment.ended(id))));
      const all = await Promise.all(roots.map(({ id }) => environment.records.tree(id)));
      const runs = all.flat();
      const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0);
      return {
        nanoUsd: sum(({ usage }) => usage.nanoUsd ?? NaN),
        turns: sum(({ usage }) => usage.turns),
        runs,
      };
    },
  };
}

const dollars = (nanoUsd: number) => `$${(nanoUsd / 1e9).toFixed(2)}`;

/** The figures of docs/batches.md, by the first cell of their rows. */
function documented(): Map<string, string[]> {
  const lines = readFileSync(new URL('../../../docs/batches.md', import.meta.url), 'utf8').split('\n');
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(
    rows
      .filter(([, cell]) => cell !== undefined)
      .map(([, what = '', ...cells]) => [what, cells.slice(0, -1)]),
  );
}

test('a night of hundreds of trees takes few batches, asks every turn once, and costs what plan said', async () => {
  const { cwd, server, night } = await openNights();
  // A small night shows what a tree comes to.
  await night(3, 'batch');
  const { agents } = JSON.parse((await typed(['plan', 'report', '--json'], cwd)).out);
  const planned = (TREES / 1000) * 1e9 * agents[0].batches.usd_per_1000_runs.in_batches;

  const before = server.batches.length;
  const batched = await night(TREES, 'batch');
  const batches = server.batches.slice(before);
  const sent = batches.flatMap(({ requests }) => requests.map(({ id }) => id));
  const turns = TREES * TURNS_OF_TREE;
  expect({
    sent: sent.length,
    different: new Set(sent).size,
    alone: server.alone.length,
    turns: batched.turns,
    ends: new Set(batched.runs.map(({ status }) => status)),
  }).toEqual({ sent: turns, different: turns, alone: 0, turns, ends: new Set(['succeeded']) });
  expect(batches.length).toBeLessThan(20);
  expect(batched.nanoUsd).toBe(Math.round(planned));

  const alone = await night(TREES);
  expect({ turns: alone.turns, asked: server.alone.length }).toEqual({ turns, asked: turns });
  const rows = documented();
  expect({
    batches: rows.get('in batches'),
    planned: rows.get('`cadre plan` said'),
    // The cache makes a difference between few trees and many.
    alone: isNight && rows.get('at once, with the cache'),
  }).toEqual({
    batches: [String(batches.length), dollars(NIGHTS * batched.nanoUsd)],
    planned: ['', dollars(NIGHTS * planned)],
    alone: isNight && [turns.toLocaleString('en-US'), dollars(alone.nanoUsd)],
  });
});
