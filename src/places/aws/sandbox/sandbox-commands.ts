import {
  InvokeWithResponseStreamCommand,
  LambdaClient,
  LambdaServiceException,
} from '@aws-sdk/client-lambda';
import { STSClient } from '@aws-sdk/client-sts';
import * as v from 'valibot';
import type { Sandbox } from '../../../core/records/call.ts';
import type { CommandResult, Commands, NoResult } from '../../../core/tool-contracts/tool.ts';
import { messageOf } from '../../../errors.ts';
import { CLIENT_LIMITS, INVOCATION_LIMITS } from '../client-limits.ts';
import { SandboxNews, sandboxName, type SandboxRequest, type SandboxSettings } from './protocol.ts';
import { sandboxPrice } from './price.ts';
import { narrowSession } from './session.ts';

export interface SandboxPlace {
  settings: SandboxSettings;
  bucket: string;
  /** The prefix of the workspace that commands run in; ends in `/`. */
  prefix: string;
  /** Where what the workspace does not hold is kept; ends in `/`. */
  rest: string;
  /** The root of the tree: only runs of one tree share an environment of Lambda. */
  root: string;
  sandbox: Sandbox;
}

/** What the function streams is a command's, which may write for ever. */
const MOST_BYTES = 64 * 1024 ** 2;

/** What commands in a function take, for all of them. */
export interface SandboxClients {
  sts: STSClient;
  lambda: LambdaClient;
}

export function sandboxClients(): SandboxClients {
  const lambda = new LambdaClient({ maxAttempts: 1, ...INVOCATION_LIMITS });
  return { sts: new STSClient(CLIENT_LIMITS), lambda };
}

/**
 * Commands that run in a separate function without any permission in the account: each gets keys for its workspace
 * alone. A function that dies is not called again, since its command may have done its work.
 */
export function sandboxCommands(place: SandboxPlace, { sts, lambda }: SandboxClients): Commands {
  return {
    async run(command, { seconds, signal, tell }) {
      const { settings, bucket, prefix, rest, root, sandbox } = place;
      const FunctionName = settings.functions[sandboxName(sandbox)];
      if (FunctionName === undefined) {
        return { refused: 'this environment was deployed without a sandbox for these commands' };
      }
      let credentials;
      try {
        credentials = await narrowSession(sts, settings.role, root, bucket, [prefix, rest]);
      } catch (thrown) {
        return { refused: `the sandbox cannot be had: ${messageOf(thrown)}` };
      }
      const request: SandboxRequest = { command, seconds, bucket, prefix, rest, credentials };
      const invocation = new InvokeWithResponseStreamCommand({
        FunctionName,
        TenantId: root,
        Payload: Buffer.from(JSON.stringify(request)),
      });
      const startedAt = performance.now();
      const ended = await resultOf(lambda, invocation, tell, signal);
      if ('refused' in ended) return ended;
      return { ...ended, nanoUsd: sandboxPrice((performance.now() - startedAt) / 1_000) };
    },
  };
}

type Ended = CommandResult | NoResult;

async function resultOf(
  lambda: LambdaClient,
  invocation: InvokeWithResponseStreamCommand,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<Ended> {
  let stream;
  try {
    ({ EventStream: stream } = await lambda.send(invocation, { abortSignal: signal }));
  } catch (thrown) {
    signal.throwIfAborted();
    // Lambda has refused it: nothing has begun.
    if (thrown instanceof LambdaServiceException && (thrown.$metadata.httpStatusCode ?? 500) < 500) {
      return { refused: `the sandbox cannot be had (${thrown.name}: ${thrown.message}): try again later` };
    }
    return { lost: messageOf(thrown) };
  }
  let result: Ended | undefined;
  try {
    const lines = new Lines();
    for await (const { PayloadChunk, InvokeComplete } of stream ?? []) {
      for (const line of lines.add(PayloadChunk?.Payload)) {
        const news = v.safeParse(v.pipe(v.string(), v.parseJson(), SandboxNews), line);
        if (!news.success) return { lost: 'its answer is none' };
        if ('output' in news.output) tell(news.output.output);
        // Held back: until the function has ended, the next command would get another machine.
        else result = 'ended' in news.output ? news.output.ended : news.output;
      }
      if (InvokeComplete?.ErrorCode !== undefined) {
        result ??= {
          lost: [InvokeComplete.ErrorCode, InvokeComplete.ErrorDetails].filter(Boolean).join(': '),
        };
      }
    }
  } catch (thrown) {
    if (result !== undefined) return result;
    signal.throwIfAborted();
    return { lost: messageOf(thrown) };
  }
  return result ?? { lost: 'it ended without an answer' };
}

/** The lines of a stream, as they become whole. */
class Lines {
  readonly #decoder = new TextDecoder();
  #unfinished = '';
  #bytes = 0;

  add(bytes: Uint8Array | undefined): string[] {
    this.#bytes += bytes?.length ?? 0;
    if (this.#bytes > MOST_BYTES) throw new Error('its answer is too long');
    const lines = `${this.#unfinished}${this.#decoder.decode(bytes, { stream: true })}`.split('\n');
    this.#unfinished = lines.pop() ?? '';
    return lines;
  }
}
