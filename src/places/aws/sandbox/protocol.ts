import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Sandbox } from '../../../core/records/call.ts';

// The protocol between the tool function and the function in which commands run.

/** Megabytes of memory of the function, by which it is charged, and of its /tmp. */
export const SANDBOX_MEMORY_MB = 2_048;
export const SANDBOX_DISK_MB = 4_096;

/** A command, with the time to lay the workspace out before it and to write it back after it. */
export const SANDBOX_SECONDS = 720;

/** Where it and its role are told to the tool function, as JSON. */
export const SandboxSettings = v.object({
  /** The ARN of the role that may use the bucket; each command's session is narrower. */
  role: v.string(),
  /** The ARNs of the functions' versions, by `sandboxName`. */
  functions: v.record(v.string(), v.string()),
});
export type SandboxSettings = v.InferOutput<typeof SandboxSettings>;

/** What tells the functions of an environment apart: the last part of their names. */
export function sandboxName({ network, image = '' }: Sandbox): string {
  if (!network && image === '') return 'sandbox';
  const digest = createHash('sha256')
    .update(JSON.stringify([network, image]))
    .digest('hex');
  return `sandbox-${digest.slice(0, 6)}`;
}

export const SandboxRequest = v.object({
  command: v.string(),
  /** That the command may take. */
  seconds: v.number(),
  bucket: v.string(),
  /** Of the workspace that is its workdir; ends in `/`. */
  prefix: v.string(),
  /** Of what the workspace does not hold, kept for the tree; ends in `/`. */
  rest: v.string(),
  /** Of a session that may use these two and nothing else. */
  credentials: v.object({
    accessKeyId: v.string(),
    secretAccessKey: v.string(),
    sessionToken: v.string(),
  }),
});
export type SandboxRequest = v.InferOutput<typeof SandboxRequest>;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * A line of the function's streamed answer. A command may have written it, since it can reach Lambda's runtime: it is
 * untrusted text, like the command's output.
 */
export const SandboxNews = v.union([
  v.strictObject({ output: v.string() }),
  v.strictObject({ refused: v.string() }),
  v.strictObject({
    ended: v.object({
      output: v.string(),
      left: count,
      exitCode: v.optional(v.pipe(v.number(), v.integer())),
      killedBy: v.optional(v.pipe(v.string(), v.regex(/^SIG[A-Z0-9]+$/))),
      timedOut: v.boolean(),
      notes: v.array(v.string()),
    }),
  }),
]);
export type SandboxNews = v.InferOutput<typeof SandboxNews>;
