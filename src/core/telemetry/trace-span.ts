import type { RunReader } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { TraceContext } from './trace-context.ts';

/** A span as OpenTelemetry has them, named and described by its conventions for generative AI. */
export interface TraceSpan {
  traceId: string;
  spanId: string;
  parentId?: string;
  /** Spans that it goes on from. */
  links: readonly string[];
  name: string;
  kind: 'internal' | 'client';
  /** In milliseconds since 1970. */
  start: Instant;
  end: Instant;
  attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Why it failed, in words; absent: it did not. */
  fault?: string;
}

/** The reads that the spans of a run take. */
export type TraceReader = Pick<
  RunReader,
  'answer' | 'callResult' | 'opened' | 'question' | 'run' | 'tree' | 'turn' | 'turns'
>;

export interface TraceOptions {
  context: TraceContext;
  /** Whether spans contain prompts, answers, arguments and results. */
  content: boolean;
}

/** When the execution began in which something happened. */
export function beganBefore({ startedAt, gaps = [] }: Run, at: Instant): Instant {
  const later = gaps.map(([, , to]) => to).filter((to) => to <= at);
  return Math.max(Date.parse(startedAt), ...later);
}

/** Of a run, as the conventions name them. */
export function modelAttributes({ model }: Pick<Run, 'model'>) {
  const provider = model.slice(0, Math.max(0, model.indexOf('/')));
  if (provider === '') return {};
  return {
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': modelOf({ model }),
  };
}

/** The names of the conventions, where they are not ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function modelOf({ model }: Pick<Run, 'model'>): string {
  return model.slice(model.indexOf('/') + 1);
}

export function inUsd(nanoUsd: number | undefined) {
  return nanoUsd === undefined ? {} : { 'cadre.usd': nanoUsd / 1e9 };
}
