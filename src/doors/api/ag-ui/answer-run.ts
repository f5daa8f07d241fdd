import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'hono';
import { isIn, UNDER_WAY } from '../../../core/records/phase.ts';
import { isToGoOn } from '../../../places/until-rested.ts';
import { findAgent } from '../agents.ts';
import type { ApiContext } from '../context.ts';
import { Problem } from '../problem.ts';
import { faultOf, logFault } from '../fault.ts';
import { parseBody } from '../request.ts';
import { answerStream } from '../server-sent.ts';
import { clientOf, nameOfCaller } from '../subject.ts';
import { RunInput } from './run-input.ts';
import { createSegment, type ClientRun } from './segment.ts';
import { goOn, type Going } from './thread.ts';
import type { AgUi } from './to-ag-ui.ts';

/**
 * Answers a client of AG-UI with the events of the run of its thread, until that rests or only people can make it
 * continue. A client that leaves earlier stops it, unless another waits for the same.
 * @throws {Problem}
 */
export async function answerRun(c: Context, agent: string, context: ApiContext): Promise<Response> {
  if (!context.streams) {
    throw new Problem(
      501,
      'AG-UI needs answers that stream: send this to the doors of the environment ("doors": true), see docs/ag-ui.md',
    );
  }
  const input = await parseBody(c, RunInput);
  await findAgent(agent, context.source);
  const going = await goOn(agent, input, nameOfCaller(c, context), context);
  const { signal } = c.req.raw;
  const end = waitFor(going.run);
  const leave = () => {
    end();
    void stopLeft(going.run, context).catch(() => {});
  };
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const stay = () => {
    end();
    signal.removeEventListener('abort', leave);
  };
  const failed = (thrown: unknown) => faultOf(thrown, logFault(thrown, c, context)).message;
  return answerStream(c, () => pieces(going, input, signal, { stay, failed }, context), context);
}

/** The requests that wait for each run. */
const waiting = new Map<string, Set<symbol>>();

/** @returns ends that */
function waitFor(run: string): () => void {
  const request = Symbol(run);
  const all = waiting.get(run) ?? new Set();
  waiting.set(run, all.add(request));
  return () => {
    all.delete(request);
    if (all.size === 0 && waiting.get(run) === all) waiting.delete(run);
  };
}

/**
 * @param stay called before a client can know that it is over
 * @param failed what a client is told of a fault on our side: unlike those that follow a run, it does not come back
 */
async function* pieces(
  { run, from }: Going,
  client: ClientRun,
  signal: AbortSignal,
  { stay, failed }: { stay: () => void; failed: (thrown: unknown) => string },
  { environment, now, answerSeconds }: ApiContext,
): AsyncGenerator<string> {
  const segment = createSegment(run, client);
  const late = answerSeconds === undefined ? undefined : AbortSignal.timeout(1000 * answerSeconds);
  const ends = AbortSignal.any([signal, ...(late === undefined ? [] : [late])]);
  yield textOf([segment.begin(now())]);
  try {
    for await (const told of environment.follow(run, { from, live: true, signal: ends, until: 'pause' })) {
      yield textOf(segment.tell(told));
    }
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    stay();
    yield textOf(segment.end(now(), { code: 'request_failed', message: failed(thrown) }));
    return;
  }
  stay();
  const message = late?.aborted
    ? `run "${run}" is still at work, for longer than a request may last; it goes on, and its answer is kept with it`
    : `run "${run}" was interrupted: its process is gone; send the request again`;
  yield textOf(segment.end(now(), { code: late?.aborted ? 'run_unfinished' : 'run_interrupted', message }));
}

function textOf(events: readonly AgUi[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** A run that has just been written to may not have begun to go on. */
const LOOKS = 100;
const LOOK_AGAIN_MS = 50;

/** Stops a run whose client has left, with everything below it. */
async function stopLeft(id: string, { environment }: ApiContext): Promise<void> {
  for (let looks = 0; looks < LOOKS && !waiting.has(id); looks++) {
    const run = await environment.records.run(id);
    if (run === undefined || !(await isToGoOn(run, environment.records))) return;
    if (isIn(UNDER_WAY, run)) {
      await environment.stop(run, 'its client left', clientOf(run));
      return;
    }
    await delay(LOOK_AGAIN_MS);
  }
}
