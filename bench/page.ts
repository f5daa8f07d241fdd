import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import * as v from 'valibot';
import type { LocalPipeline } from '../src/places/local/local-pipeline.ts';
import { CHROMIUM, launchChromium } from '../test/fixtures/chromium.ts';
import { keep, syntheticTree, type SyntheticTree } from '../test/fixtures/synthetic-tree.ts';
import { answer, withPipeline } from './delegating.ts';
import { median, type Row } from './row.ts';
import { serveCommand } from './serving.ts';

const AGENTS = 1_600;
const VISITS = 5;
/** While the tree is at work, an agent ends so often, in milliseconds. */
const END_EVERY_MS = 5;
const LIVE_MS = 4_000;

/** The page with a tree of 1,600 agents: until it is seen and, while all of them work, what a frame takes. */
export async function measurePage(): Promise<Row[]> {
  if (CHROMIUM === undefined) {
    console.error('there is no chromium here: the page is not measured');
    return [];
  }
  return withPipeline({ send: async () => answer() }, async (pipeline, folder) => {
    const ended = syntheticTree(AGENTS, Date.now() - 900_000);
    const working = syntheticTree(AGENTS, Date.now() - 60_000, 'running');
    await keep(ended, pipeline.store);
    await keep(working, pipeline.store);
    const { server, url } = await serveCommand(folder);
    const browser = await launchChromium();
    try {
      const empty: number[] = [];
      const painted: number[] = [];
      for (let visit = 0; visit < VISITS; visit++) {
        empty.push(await timeToPaint(browser, `${url}/#/runs`, '.runs-filters'));
        painted.push(await timeToPaint(browser, `${url}/#/runs/${ended.top}`, '[role=treeitem]'));
      }
      const frames = await pipeline.carryOut(working.top, () => live(browser, url, working, pipeline));
      return [
        row(`the page: a tree of ${AGENTS} agents is seen (median)`, median(painted), 1_000),
        row('the page: as long as the same without a tree', median(empty)),
        row(`the page: scripts of a frame while ${AGENTS} agents work (median)`, median(frames)),
        row(`the page: scripts of a frame while ${AGENTS} agents work (longest)`, Math.max(...frames), 50),
      ];
    } finally {
      await browser.close();
      server.kill('SIGINT');
      await once(server, 'close');
    }
  });
}

function row(what: string, value: number, atMost?: number): Row {
  return { what, value, unit: ' ms', digits: 1, ...(atMost !== undefined && { atMost }), counts: 'least' };
}

/** Milliseconds from when an address is opened, in a fresh context, to when an element is painted. */
async function timeToPaint(browser: Browser, url: string, selector: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(`
      globalThis.painted = new Promise((resolve) => {
        const look = () => {
          if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
          else requestAnimationFrame(() => resolve(performance.now()));
        };
        look();
      });
    `);
    await page.goto(url);
    return await page.evaluate<number>('globalThis.painted');
  } finally {
    await context.close();
  }
}

/** The time of scripts in each frame that had any, while agents end one after another. */
async function live(
  browser: Browser,
  url: string,
  { top, runs }: SyntheticTree,
  { store }: LocalPipeline,
): Promise<number[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/#/runs/${top}`);
  const workers = runs.filter(({ status }) => status === 'running').toReversed();
  const atWork = (count: number) => page.getByText(`${count} at work`).waitFor();
  await atWork(workers.length);
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  const until = Date.now() + LIVE_MS;
  while (Date.now() < until) {
    const next = workers.shift();
    if (next === undefined) break;
    const endedAt = new Date().toISOString();
    await store.updateRun(next.id, (run) => ({ ...run, status: 'succeeded', endedAt }));
    await delay(END_EVERY_MS);
  }
  // Nothing was measured unless the page has followed.
  await atWork(workers.length);
  const trace = await browser.stopTracing();
  await page.close();
  return scriptsOfFrames(trace);
}

const Trace = v.object({
  traceEvents: v.array(
    v.object({
      name: v.string(),
      ph: v.string(),
      tid: v.number(),
      pid: v.number(),
      /** Microseconds. */
      ts: v.optional(v.number(), 0),
      dur: v.optional(v.number(), 0),
    }),
  ),
});

/** Names of stretches in which scripts run (https://chromium.googlesource.com, "devtools.timeline"). */
const SCRIPTS = [
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
];

/** Milliseconds of scripts before each frame is committed for drawing, in the main thread of the page. */
function scriptsOfFrames(trace: Buffer): number[] {
  const { traceEvents } = v.parse(Trace, JSON.parse(trace.toString()));
  const scripts = traceEvents.filter(({ name, ph }) => ph === 'X' && SCRIPTS.includes(name));
  const threads = new Map<string, typeof scripts>();
  for (const each of scripts) {
    const key = `${each.pid} ${each.tid}`;
    threads.set(key, threads.get(key) ?? []);
    threads.get(key)?.push(each);
  }
  const [thread = []] = [...threads.values()].toSorted((one, other) => other.length - one.length);
  const [first] = thread;
  const frames = traceEvents
    .filter(({ name, pid, tid }) => name === 'Commit' && pid === first?.pid && tid === first.tid)
    .map(({ ts }) => ts);
  if (frames.length === 0) throw new Error('the trace has no frames');
  frames.sort((one, other) => one - other);
  const spent = new Map<number, number>();
  let end = 0;
  for (const { ts, dur } of thread.toSorted((one, other) => one.ts - other.ts)) {
    const frame = frames.findIndex((handed) => handed > ts);
    // Some are parts of others.
    const added = Math.max(0, ts + dur - Math.max(end, ts));
    end = Math.max(end, ts + dur);
    spent.set(frame, (spent.get(frame) ?? 0) + added);
  }
  return [...spent.values()].map((microseconds) => microseconds / 1000);
}
