import type { SpanKind } from '../../records/spans.ts';

/** The one list of words for how a run spends its time, in the order in which they are shown. */
export const SPAN_WORDS: Readonly<Record<SpanKind, string>> = {
  own: 'own work',
  model: 'its model',
  tool: 'tools',
  agents: 'agents below it',
  person: 'people',
  messages: 'messages',
  idle: 'idle, with its answer',
  gap: 'stopped or interrupted',
};
