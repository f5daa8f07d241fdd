import type { NewAttachment } from '../../core/records/attachment.ts';
import type { RunRequest } from '../../core/records/request.ts';
import type { Tags } from '../../core/records/tags.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import { AnsweredError } from '../../core/lifecycle/answer-question.ts';
import { AgentError, messageOf } from '../../errors.ts';
import type { Environment } from '../../places/environment.ts';
import { createBackground } from '../../background.ts';
import { createPerson, type QuestionAsked } from './person.ts';
import type { TryPorts } from './play-try.ts';

/** A run that plays a case. */
export interface PlayedRun {
  run: string;
  request: RunRequest;
  /** The files that it names as attachments. */
  files: readonly NewAttachment[];
  /** What was asked for, in words for the person. */
  task: string;
  /** The agent that answers in the person's place; absent: nobody answers. */
  person: string | undefined;
  knows: string | undefined;
  tags: Tags;
  /** Aborted when it is to be left to itself, at work as it is; absent: its end is waited for in any case. */
  left?: AbortSignal | undefined;
}

/**
 * Starts a run, or goes on with one that was broken off, answers what it asks, and waits for its end.
 * @returns why the case was not played as it should be; undefined: it was
 * @throws {ConfigError} if its agent cannot be run
 */
export async function playRun(
  { run: id, request, files, task, person: agent, knows, tags, left }: PlayedRun,
  environment: Environment,
  { now, during, signal }: Pick<TryPorts, 'during' | 'now' | 'signal'>,
): Promise<string | undefined> {
  const person =
    agent === undefined ? undefined : createPerson({ agent, task, knows, tags, now }, environment);
  let fault: string | undefined;

  /** Somebody may have answered, or the run may have ended, in the meantime. */
  async function answer(asked: QuestionAsked): Promise<void> {
    const question = { run: asked.run, turn: asked.turn, call: asked.call };
    try {
      if (person !== undefined && fault === undefined) {
        const text = await person(asked);
        return void (await during(environment.answer(question, { text })));
      }
    } catch (thrown) {
      if (thrown instanceof AnsweredError) return;
      if (!(thrown instanceof AgentError)) throw thrown;
      fault = messageOf(thrown);
    }
    await during(environment.decline(question));
  }

  const answering = createBackground();
  // One of its own: many runs at once would be too many listeners for one.
  const following = AbortSignal.any(left === undefined ? [] : [left]);
  const started = await during(environment.start({ id, request, files }));
  const isLeft = isIn(UNDER_WAY, started) && !(await environment.records.isCarriedOut(started.root));
  const isStopped =
    started.status === 'stopped' || started.status === 'failed' || started.status === 'timed_out';
  if (isLeft || isStopped) await during(environment.resume(started));
  const ended = environment.ended(id, { wholeTree: true, signal: following });
  // What was asked and answered before it was broken off is not asked again.
  const from = await during(environment.told(id));
  for await (const { event } of environment.follow(id, { from, signal: following, until: ended })) {
    if (event.type === 'question_asked' && !signal.aborted) answering.begin(answer(event));
  }
  await answering.rested();
  await ended;
  return fault;
}
