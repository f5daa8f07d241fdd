import { createHash } from 'node:crypto';
import type { CallKey } from '../records/call.ts';
import { callName } from '../records/call.ts';
import type { Run } from '../records/run.ts';

/** Where the spans of a tree belong: a trace of its own, or that of whoever asked for it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** The span, elsewhere, of the request that began the tree: 16 hexadecimal digits; absent: none. */
  parentId?: string;
  /** Whether the caller records its own spans; absent: there was no caller with any. */
  isSampled?: boolean;
}

/** W3C Trace Context, "traceparent": version 00, and no part of zeros alone. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Whether a text can continue a trace. Others are ignored, as the specification demands. */
export function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text);
}

/** The trace of a tree: the same in every process, and in every execution of every run of it. */
export function traceContextOf({ id, traceparent }: Pick<Run, 'id' | 'traceparent'>): TraceContext {
  const [, traceId, parentId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || parentId === undefined) return { traceId: digits(id, 32) };
  return { traceId, parentId, isSampled: Number.parseInt(flags ?? '', 16) % 2 === 1 };
}

/** Whether a trace is sampled: all of its spans are, or none. @param ratio from 0 to 1 */
export function isKept({ traceId, isSampled }: TraceContext, ratio: number): boolean {
  if (isSampled !== undefined) return isSampled;
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
}

/** The span of an execution of a run, by when that began, in milliseconds since 1970. */
export function executionSpanId(run: string, began: number): string {
  return digits(`${run} ${began}`, 16);
}

export function turnSpanId(run: string, turn: number): string {
  return digits(`${run} t${turn}`, 16);
}

export function callSpanId(at: CallKey): string {
  return digits(`${at.run} ${callName(at)}`, 16);
}

/** Ids follow from what they identify, so that a span that is made twice is the same. */
function digits(text: string, count: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, count);
}
