import { isRunId } from '../../../core/records/run-id.ts';
import type { ApiContext } from '../context.ts';
import { stateOf, type Next } from '../next-of.ts';
import { Problem } from '../problem.ts';
import { maySee } from '../subject.ts';
import { keepEnd, keptEnd } from '../task-ends.ts';
import { isOverByRun, taskAt, tasksOf, type A2aConversation } from './tasks.ts';

function conversationKey(run: string): string {
  return `a2a conversation ${run}`;
}

/** What is kept of a conversation before its run begins. */
interface Begun {
  /** The client's name of it, or the run's id. */
  contextId: string;
  /** Of the message that it was begun with. */
  message: string;
}

const BEGUN = /^(?<message>[0-9a-f]{16}) (?<contextId>.*)$/s;

/**
 * Notes that a client of the protocol begins a run, so that such clients may see its tasks and answer its questions.
 * @returns the first note about this run
 */
export async function noteConversation(
  run: string,
  begun: Begun,
  { environment }: ApiContext,
): Promise<Begun> {
  const digest = `${begun.message} ${begun.contextId}`;
  return toBegun((await environment.once(conversationKey(run), { run, digest })).digest);
}

function toBegun(digest: string): Begun {
  const { message = '', contextId = '' } = BEGUN.exec(digest)?.groups ?? {};
  return { message, contextId };
}

/**
 * @returns undefined if there is no such run for the caller, or no client of the protocol has begun it
 */
export async function findConversation(
  id: string,
  agent: string,
  context: ApiContext,
): Promise<Pick<A2aConversation, 'contextId' | 'run'> | undefined> {
  const { records } = context.environment;
  const bound = isRunId(id) ? await records.bound(conversationKey(id)) : undefined;
  const run = bound && (await records.run(id));
  if (run === undefined || run.agent !== agent || !maySee(run, context)) return undefined;
  return { run, contextId: toBegun(bound?.digest ?? '').contextId };
}

/** The same with its tasks. */
export async function readConversation(
  id: string,
  agent: string,
  context: ApiContext,
): Promise<A2aConversation | undefined> {
  const found = await findConversation(id, agent, context);
  if (found === undefined) return undefined;
  const { contextId } = found;
  const next = await stateOf(found.run, 'ask', context).catch((thrown: unknown): Next => {
    if (!(thrown instanceof Problem)) throw thrown;
    // A run whose process is gone counts as at work for its clients: only whoever serves it can bring it back.
    return { kind: 'works', run: found.run };
  });
  const { run } = next;
  const { records } = context.environment;
  const [request, mails, turns] = await Promise.all([
    records.request(id),
    records.mails(id),
    records.turns(id),
  ]);
  const prompt = request?.prompt ?? '';
  const tasks = tasksOf({ run, contextId, next }, prompt, mails, turns).map(async (task) => {
    const endOf = isOverByRun(task) ? keepEnd : keptEnd;
    const end = await endOf(task.id, { run, turns }, context);
    return (end && taskAt(task.id, end, contextId, prompt, mails)) ?? task;
  });
  return { run, contextId, next, tasks: await Promise.all(tasks) };
}
