import type { BatchMember } from '../records/batched.ts';

/**
 * The most of one batch, well within what providers take: Anthropic 100,000 requests and 256 MB, OpenAI 50,000 and
 * 200 MB.
 */
const MOST_REQUESTS = 1_000;
const MOST_BYTES = 100 * 2 ** 20;

/** What a request takes up beside its parameters. */
const BYTES_AROUND = 200;

/** Cuts the members of a bucket into batches. */
export function toParts(members: readonly BatchMember[]): BatchMember[][] {
  const parts: BatchMember[][] = [];
  let part: BatchMember[] = [];
  let size = 0;
  for (const member of members) {
    const bytes = member.bytes + BYTES_AROUND;
    if (part.length === MOST_REQUESTS || (part.length > 0 && size + bytes > MOST_BYTES)) {
      parts.push(part);
      [part, size] = [[], 0];
    }
    part.push(member);
    size += bytes;
  }
  return part.length === 0 ? parts : [...parts, part];
}
