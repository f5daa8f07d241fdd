import { ModelError } from '../../src/errors.ts';
import type { BatchApi, BatchRequest, BatchResult } from '../../src/core/model/batch-api.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import type { ModelResponse } from '../../src/core/records/message.ts';
import type { Json } from '../../src/json.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Choices } from '../choices.ts';
import type { Invocation, Invocations } from './invocations.ts';
import { toResponse, type Asked, type Line } from './models.ts';
import type { WorldTime } from './time.ts';

/** How a provider of batches is played. */
export interface BatchesOptions {
  /** Whether it keeps the names of batches, as OpenAI does; otherwise batches differ only by size and time. */
  keepsNames: boolean;
  /** How often nobody learns what became of the creation of one, from 0 to 1. */
  lost: number;
  /** How often it runs out of time with some of its requests, from 0 to 1. */
  expiry: number;
  /** Told of a request that is put into words for a batch. */
  onAsked(asked: Asked): void;
  /** What the model says, once for each request, when its batch is over. */
  answer(run: string, request: ModelRequest): Line;
}

/** A batch that was created, whether anybody has learnt of it or not. */
export interface PlayedBatch {
  name: string;
  requests: readonly BatchRequest[];
  createdAt: number;
  /** When it shows in the list. */
  listedAt: number;
  endsAt: number;
  isCancelled: boolean;
  /** The provider keeps no names, and has listed it to somebody who looked for another one of its size. */
  mayBeMistaken: boolean;
}

/** Within the two minutes for which it is looked for. */
const LATEST_LISTED_MS = 90_000;
const LONGEST_MS = 2_400_000;
const CANCELLING_MS = 300_000;

const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0 };

export type Batches = ReturnType<typeof createBatches>;

/** A provider that takes requests in batches. */
export function createBatches(
  options: BatchesOptions,
  { time, choices, invocations }: { time: WorldTime; choices: Choices; invocations: Invocations },
) {
  const { happens, upTo } = choices;
  const batches: PlayedBatch[] = [];
  const answers: Exclude<Line, Error>[] = [];
  const asked: { run: string; request: ModelRequest }[] = [];
  /** By the ids of requests: a request that is in two batches by mistake is answered alike. */
  const results = new Map<string, BatchResult>();

  const find = (id: string) => {
    const batch = batches[Number(id)];
    if (batch === undefined) throw new ModelError('bad_request', 'no such batch', { status: 404 });
    return batch;
  };
  const isOver = ({ endsAt }: PlayedBatch) => time.now() >= endsAt;

  function resultOf({ id, body }: BatchRequest, { isCancelled, mayBeMistaken }: PlayedBatch): BatchResult {
    const known = results.get(id);
    if (known !== undefined) return known;
    // What is answered in a batch that was taken for another one is lost, which no law could tell from a fault.
    const result =
      mayBeMistaken || happens(isCancelled ? 0.5 : options.expiry)
        ? { expired: true as const }
        : answerTo(body);
    results.set(id, result);
    return result;
  }

  function answerTo(body: string): BatchResult {
    const question = asked[Number(body)];
    if (question === undefined) throw new RangeError(`nobody asked ${body}`);
    const line = options.answer(question.run, question.request);
    if (line instanceof Death) return { expired: true };
    if (line instanceof ModelError) {
      const message = line.message.slice(`${line.category}: `.length);
      return { failed: { category: line.category, message } };
    }
    if (line instanceof Error) throw line;
    return { answered: answers.push(line) - 1 };
  }

  function toAnswer(answered: Json): ModelResponse {
    const { usage = NO_TOKENS, said = usage, ...line } = answers[Number(answered)] ?? {};
    return toResponse(line, { ...said, service: 'batch' });
  }

  /** As a function reaches it. @param run whose turn it makes, if any */
  function open(by: Invocation, run: string): BatchApi {
    const operate = <T>(effect: () => T): Promise<T> => invocations.operate(by, effect);
    return {
      account: 'ours',
      async toBody(request) {
        options.onAsked({ by, run, request, wasWanted: true, say: () => {} });
        return { endpoint: '/v1/messages', body: String(asked.push({ run, request }) - 1) };
      },
      toAnswer: (_, __, answered) => toAnswer(answered),
      spentOn(_, answered) {
        const { usage } = toAnswer(answered);
        return usage.isEstimate ? 'unknown' : usage;
      },
      create: ({ name, requests }, signal) =>
        operate(() => {
          // Of a function that stood still.
          signal.throwIfAborted();
          const isLost = happens(options.lost);
          if (isLost && happens(0.5)) throw new ModelError('server', 'the connection was lost');
          const now = time.now();
          const endsAt = now + 60_000 + upTo(LONGEST_MS);
          const listedAt = now + upTo(LATEST_LISTED_MS);
          batches.push({
            name,
            requests,
            createdAt: now,
            listedAt,
            endsAt,
            isCancelled: false,
            mayBeMistaken: false,
          });
          if (isLost) throw new ModelError('server', 'the connection was lost');
          return String(batches.length - 1);
        }),
      find: (wanted) =>
        operate(() =>
          batches.flatMap((batch, index) => {
            const isListed = batch.listedAt <= time.now() && batch.createdAt >= wanted.since;
            const isLike = options.keepsNames
              ? batch.name === wanted.name
              : batch.requests.length === wanted.requests;
            if (!isListed || !isLike) return [];
            batch.mayBeMistaken ||= batch.name !== wanted.name;
            return [String(index)];
          }),
        ),
      isOver: (id) => operate(() => isOver(find(id))),
      async *results(id) {
        const batch = await operate(() => find(id));
        for (const request of batch.requests) {
          yield await operate(() => ({ id: request.id, result: resultOf(request, batch) }));
        }
      },
      cancel: (id) =>
        operate(() => {
          const batch = find(id);
          if (isOver(batch)) return;
          batch.isCancelled = true;
          batch.endsAt = Math.min(batch.endsAt, time.now() + upTo(CANCELLING_MS));
        }),
    };
  }

  return { open, batches, results };
}
