import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Look } from '../../places/follow/looking.ts';
import { isAnyGoingOn, stateOf } from '../../core/events/going-on.ts';
import { runInTree } from '../../core/reports/run-report.ts';
import type { RunOverview } from '../../core/reports/run-schemas.ts';
import { waitsOf } from '../../core/reports/run-waits.ts';
import { shownRun } from '../../core/reports/shown-times.ts';
import { shownStatus } from '../../core/reports/shown-tree.ts';
import { branchOf, type Run } from '../../core/records/run.ts';
import type { WatchContext } from './context.ts';
import { parseHeaders } from './request.ts';
import { TreeEventsHeaders } from './reading-parameters.ts';
import { answerStream } from './server-sent.ts';

/** So many runs are in one event at most: a tree may have thousands. */
const MAX_RUNS_PER_EVENT = 500;

/** If answers are brief, each begins with the whole tree: this many characters make a client wait a millisecond. */
const CHARACTERS_PER_MS = 100;
const LEAST_RETRY_MS = 1_000;

/**
 * A tree as server-sent events: first all runs, then, whenever any change, those. Unlike a run's events, these grow
 * neither with the tree's texts nor with its time.
 */
export async function answerEvents(c: Context, run: Run, context: WatchContext): Promise<Response> {
  const { 'last-event-id': last } = parseHeaders(c, TreeEventsHeaders);
  if (await hasAll(run, last, context)) return answerStream(c, undefined, context);
  return answerStream(c, (signal) => pieces(run, last, context, signal), context);
}

/** Whether a client has the last state of a tree, and nothing continues. */
async function hasAll(
  run: Run,
  last: string | undefined,
  { environment: { records }, now }: WatchContext,
): Promise<boolean> {
  if (last?.startsWith(END) !== true) return false;
  // Asked first: a run that ends in between is then read as ended.
  const isCarried = await records.isCarriedOut(run.root);
  const tree = branchOf(run, await records.tree(run.id));
  return last === endOf(tree) && !(isCarried && isAnyGoingOn(tree, now()));
}

async function* pieces(
  run: Run,
  last: string | undefined,
  context: WatchContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const told = new Map<string, string>();
  let seen = last;
  for await (const look of context.environment.look(run, signal)) {
    const news = newsOf(look, told);
    const { records, isAbandoned } = look;
    const runs = [...records.runs.values()].map((each) => each.run);
    // Nothing follows.
    const isOver = isAbandoned || !isAnyGoingOn(runs, records.at);
    const id = isOver ? endOf(runs) : digestOf(told.values());
    // A client that comes back may have seen all of this.
    yield id === seen ? '' : textOf(news, id);
    seen = id;
    if (isOver) return;
  }
}

/** The changes of each run since the client was last told, which are noted. */
function newsOf({ records, isAbandoned }: Look, told: Map<string, string>): RunOverview[] {
  return [...records.runs.values()].flatMap((each) => {
    const { run, turns, draft } = each;
    const facts = { calls: turns.at(-1), asked: draft };
    const made = turns.map(({ turn }) => turn);
    const overview = {
      ...runInTree(shownRun(run, shownStatus(run, isAbandoned), made, facts)),
      ...(run.status === 'running' && { waits_for: waitsOf(each) }),
    };
    const json = JSON.stringify(overview);
    if (told.get(run.id) === json) return [];
    told.set(run.id, json);
    return overview;
  });
}

/** The client's state, in short. */
function digestOf(told: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const each of told) hash.update(each);
  return hash.digest('base64url').slice(0, 16);
}

const END = 'end-';

/** The id of the last event, until any of the runs goes on. */
function endOf(runs: readonly Run[]): string {
  return `${END}${digestOf([stateOf(runs)])}`;
}

function textOf(runs: readonly RunOverview[], id: string): string {
  const parts = Array.from({ length: Math.max(1, Math.ceil(runs.length / MAX_RUNS_PER_EVENT)) }, (_, part) =>
    runs.slice(part * MAX_RUNS_PER_EVENT, (part + 1) * MAX_RUNS_PER_EVENT),
  );
  // Only the last one has the id: a client that has that has all of them.
  const text = parts
    .map((part, index) => {
      const head = index === parts.length - 1 ? `id: ${id}\n` : '';
      return `${head}data: ${JSON.stringify({ runs: part })}\n\n`;
    })
    .join('');
  const retry = Math.round(text.length / CHARACTERS_PER_MS);
  return retry > LEAST_RETRY_MS ? `retry: ${retry}\n\n${text}` : text;
}
