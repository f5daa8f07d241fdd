import { newRunId } from '../../core/records/run-id.ts';
import { parseDecision } from '../../core/records/approval.ts';
import type { Tags } from '../../core/records/tags.ts';
import { lastAnswerOf } from '../../core/records/turn.ts';
import type { RunEvent } from '../../core/events/event.ts';
import { AgentError } from '../../errors.ts';
import type { Environment } from '../../places/environment.ts';
import { toRunRequest } from '../../places/run-request.ts';

export type QuestionAsked = Extract<RunEvent, { type: 'question_asked' }>;

export interface PersonOptions {
  /** The agent that stands in for the person. */
  agent: string;
  /** What the person had asked for. */
  task: string;
  /** What the person knows of the case; absent: nothing more. */
  knows?: string | undefined;
  tags: Tags;
  now: () => number;
}

/**
 * A person who is an agent: all questions of a case are one conversation with it.
 * @returns what answers a question
 */
export function createPerson({ agent, task, knows, tags, now }: PersonOptions, environment: Environment) {
  let run: string | undefined;

  async function say(text: string): Promise<void> {
    if (run !== undefined) {
      await environment.send({ run, text });
      await environment.ended(run, { wholeTree: true });
      return;
    }
    run = newRunId(agent, now());
    const known = knows === undefined ? '' : `What you know:\n${knows}\n\n`;
    const prompt = `You have asked an assistant for this:\n${task}\n\n${known}${text}`;
    await environment.start({ id: run, request: toRunRequest(agent, { prompt, tags }) });
    await environment.ended(run, { wholeTree: true });
  }

  /** @throws {AgentError} if the agent has no answer */
  return async (asked: QuestionAsked): Promise<string> => {
    await say(questionText(asked));
    const { records } = environment;
    const record = run === undefined ? undefined : await records.run(run);
    const answer = record === undefined ? '' : lastAnswerOf(record, await records.turns(record.id)).trim();
    if (record?.failure !== undefined || answer === '')
      throw new AgentError(
        `"${agent}", who answers questions, gave no answer: ${record?.failure?.message ?? `see run ${run ?? ''}`}`,
      );
    // Whoever says anything else than yes does not approve.
    return asked.approval === undefined || parseDecision(answer) !== undefined ? answer : `deny ${answer}`;
  };
}

function questionText({ question, choices = [], approval }: QuestionAsked): string {
  if (approval !== undefined) {
    const call = `${approval.tool} ${JSON.stringify(approval.arguments)}`;
    return `The assistant wants to make this call, and asks whether it may:\n${call}\n\nAnswer with "approve", or with "deny" and the reason.`;
  }
  const listed = choices.length === 0 ? '' : `\n\nAnswer with one of: ${choices.join(' | ')}`;
  return `The assistant asks you:\n${question}${listed}`;
}
