import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import type { EndedRun } from '../attended-run.ts';
import { finishReason, usageOf, type Envelope } from './completion.ts';
import { ofRun, type OpenAiError } from './error.ts';

/** At least this often a client sees that the connection is alive. */
const SIGN_OF_LIFE_MS = 15_000;

/** An answer as server-sent events, which is written from outside. */
export interface CompletionStream {
  body: ReadableStream<Uint8Array>;
  /** Adds a piece of the answer. */
  write(text: string): void;
  /** Ends it with what became of the run. */
  end(ended: EndedRun): void;
  fail(error: OpenAiError): void;
}

/** @param includesUsage whether a piece at the end says what the run used */
export function createCompletionStream(envelope: Envelope, includesUsage: boolean): CompletionStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let hasText = false;
  const send = (text: string) => controller?.enqueue(encoder.encode(text));
  let alive: NodeJS.Timeout | undefined;
  const close = () => {
    clearInterval(alive);
    controller?.close();
    controller = undefined;
  };
  const data = (value: object) => send(`data: ${JSON.stringify(value)}\n\n`);
  const { id, created, model } = envelope;
  const chunk = (choices: object[], usage: object | null = null) =>
    data({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...(includesUsage && { usage }),
    });
  const choice = (delta: object, reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);

  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      choice({ role: 'assistant', content: '', refusal: null });
    },
    // A run that does not start leaves it unread.
    pull() {
      alive ??= setInterval(() => send(':\n\n'), SIGN_OF_LIFE_MS).unref();
    },
    cancel() {
      clearInterval(alive);
      controller = undefined;
    },
  });

  const write = (text: string) => {
    hasText = true;
    choice({ content: text });
  };
  return {
    body,
    write,
    end(ended) {
      if (isIn(ANSWERED, ended.run)) {
        if (!hasText && ended.content !== '') write(ended.content);
        choice({}, finishReason(ended));
        if (includesUsage) chunk([], usageOf(ended));
        send('data: [DONE]\n\n');
      } else {
        data({ error: ofRun(ended.run) });
      }
      close();
    },
    fail(error) {
      data({ error });
      close();
    },
  };
}
