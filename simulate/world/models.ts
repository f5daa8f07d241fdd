import { abortCause } from '../../src/core/records/abort.ts';
import type { BatchApi } from '../../src/core/model/batch-api.ts';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import type { ModelResponse, ToolCall } from '../../src/core/records/message.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Invocation, Invocations } from './invocations.ts';

/** A model's line. An exception stands for an error of its API, and a death ends the function that asked. */
export type Line = Answer | Error;

export interface Answer {
  text?: string;
  calls?: ToolCall[];
  usage?: TokenUsage;
  /** What its provider says of its usage; absent: the truth. */
  said?: TokenUsage;
}

/** A model that is asked, and has not answered yet. */
export interface Asked {
  run: string;
  request: ModelRequest;
  /** Whether the run's record was open, and held by the execution, when the function was called. */
  wasWanted: boolean;
  by: Invocation;
  say(line: Line): void;
}

export type Models = ReturnType<typeof createModels>;

/**
 * Models whose lines somebody else writes: each request waits until it is told what to say, or is given up.
 * @param onAsked told of each request, which it may answer later
 * @param batches of their provider; absent: it has none
 */
export function createModels(
  { away }: Invocations,
  onAsked: (asked: Asked) => void,
  batches?: { open(by: Invocation, run: string): BatchApi },
) {
  const asked: Asked[] = [];
  /** The answers that were given, by run. */
  const said: { run: string; tokens: number }[] = [];
  /** Work that functions began for runs that had ended. */
  const wrongs: string[] = [];
  let tokens = 0;

  function open(invocation: Invocation, run: string, wasWanted: boolean): Model {
    return {
      ...(batches && { batches: async () => batches.open(invocation, run) }),
      async send(request, signal) {
        if (!wasWanted) wrongs.push(`the model of ${run} was asked after its end`);
        const line = await away(
          invocation,
          () =>
            new Promise<Line>((resolve, reject) => {
              const question: Asked = {
                run,
                request,
                wasWanted,
                by: invocation,
                say(told) {
                  leave();
                  resolve(told);
                },
              };
              const leave = () => {
                const index = asked.indexOf(question);
                if (index >= 0) asked.splice(index, 1);
              };
              signal.addEventListener('abort', () => {
                leave();
                reject(abortCause(signal));
              });
              asked.push(question);
              onAsked(question);
            }),
        );
        if (line instanceof Death) invocation.isDead = true;
        if (line instanceof Error) throw line;
        const { usage = { inputTokens: ++tokens, outputTokens: 1 } } = line;
        said.push({ run, tokens: tokens + 1 });
        return toResponse(line, line.said ?? usage);
      },
    };
  }

  return { asked, said, wrongs, open };
}

export function toResponse({ text = '', calls = [] }: Answer, usage: ModelResponse['usage']): ModelResponse {
  const stopReason = calls.length > 0 ? 'tool_calls' : 'end';
  return { text, calls, stopReason, rawStopReason: stopReason, usage };
}
