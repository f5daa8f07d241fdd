import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts';
import { findRun } from './find-run.ts';
import { questionText } from './questions.ts';
import type { RunIo } from '../terminal/io.ts';
import { toAgUi } from '../../api/ag-ui/to-ag-ui.ts';
import type { Top } from '../../../core/events/records.ts';
import type { TreeEvent } from '../../../core/events/tree-event.ts';
import type { Environment } from '../../../places/environment.ts';
import { nextStep } from '../terminal/closing-text.ts';
import { eventLine } from '../terminal/event-line.ts';
import { openLiveTree, type LiveTree } from '../terminal/live-tree.ts';
import { createVerbose } from '../terminal/verbose.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import { capturesIn } from '../../../core/records/mail.ts';
import { nameOf } from '../../../core/records/run.ts';
import { shownStatus } from '../../../core/reports/shown-tree.ts';

export interface WatchOptions {
  json?: boolean;
  events?: boolean;
  /** The deployed environment that the run is in; absent for one of this folder. */
  env?: string;
}

/**
 * `cadre watch`: follows a tree that another process, or a deployed machine, carries: as a live tree on a terminal,
 * line by line elsewhere, or as the requested events. Ctrl-C ends only the watching, and so does a reader that has seen enough.
 * @returns the exit code that the run itself would have had, 0 while it runs, 1 if its process died
 * @throws {ConfigError} if there is no such run
 */
export async function watchRun(
  word: string,
  { json = false, events = false, env }: WatchOptions,
  environment: Environment,
  io: RunIo,
): Promise<number> {
  const { root, execution } = await findRun(word, environment);
  const link = environment.link(execution);
  if (link !== undefined) io.stderr(`${link}\n`);
  const top = { id: root, root, path: '' };
  const live =
    json || events || io.terminal === undefined
      ? undefined
      : await openLiveTree(io.terminal, environment.records);
  const show = json ? printJson(top, io) : events ? printLine(io) : printProgress(top, live, io);
  const tell = (text: string) => (live === undefined ? io.stderr(text) : live.above(text));
  const signal = AbortSignal.any([io.interrupted, io.unread]);
  try {
    for await (const told of environment.follow(root, {
      live: true,
      signal,
      until: 'rest',
    })) {
      show(told);
      const { event } = told;
      // Questions that were answered long ago are told, too.
      const isOpen =
        event.type === 'question_asked' && (await environment.records.answer(event)) === undefined;
      if (isOpen && !json) tell(`${questionText({ question: event }, env)}\n`);
    }
  } finally {
    await live?.close();
  }
  if (!json) await tellCaptured(root, environment, io);
  const abandoned = !(await environment.records.isCarriedOut(root));
  const ended = await findRun(root, environment);
  const status = shownStatus(ended, abandoned);
  if (status === 'interrupted') {
    io.stderr(`run "${root}" is interrupted; ${nextStep({ ...ended, status }, { env })}\n`);
    return EXIT.agent;
  }
  const { failure, exceeded } = ended;
  const limit = exceeded === undefined ? '' : `: ${oneLine(exceeded)}`;
  const how = status === 'running' ? 'is running' : `has ended: ${status}${limit}`;
  io.stderr(`run "${root}" ${how}\n`);
  if (failure !== undefined) return exitCodeOfFailure(failure);
  return status === 'budget_exceeded' ? EXIT.budget : EXIT.success;
}

/** Shows what people have typed for forks, which no agent is told. */
async function tellCaptured(root: string, { records, mailbox }: Environment, io: RunIo): Promise<void> {
  for (const run of await records.tree(root)) {
    if (!run.hasCaptured) continue;
    for (const { body, sentAt, captureEnd } of capturesIn(await mailbox(run.id).list())) {
      const fork = captureEnd === undefined ? 'a fork' : captureEnd.fork;
      const how = fork === undefined ? 'and cancelled' : `for ${fork}`;
      io.stderr(`${oneLine(`${sentAt} ${nameOf(run)}: captured ${how}: ${body}`)}\n`);
    }
  }
}

type Show = (event: TreeEvent) => void;

function printJson({ id }: Top, io: RunIo): Show {
  return (event) => toAgUi(id, event).forEach((each) => io.stdout(`${jsonLine(each)}\n`));
}

function printLine(io: RunIo): Show {
  return (event) => {
    const line = eventLine(event);
    if (line !== undefined) io.stdout(`${line}\n`);
  };
}

function printProgress({ root }: Top, live: LiveTree | undefined, io: RunIo): Show {
  const verbose = createVerbose(root);
  return ({ event, at }) => {
    live?.emit(event, at);
    const line = live === undefined ? verbose(event) : undefined;
    if (line !== undefined) io.stderr(`${line}\n`);
  };
}
