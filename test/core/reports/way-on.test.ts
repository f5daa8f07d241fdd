import { expect, test } from 'vitest';
import { exceededText } from '../../../src/core/spending/refusal.ts';
import { INCOMPLETE } from '../../../src/core/records/run.ts';
import { wayOn, type WayOn } from '../../../src/core/reports/way-on.ts';
import type { RunOverview } from '../../../src/core/reports/run-schemas.ts';

type Ended = Parameters<typeof wayOn>[0];
const of = (status: RunOverview['status'], error?: string): Ended => ({
  status,
  ...(error !== undefined && { error }),
});
const below = (ended: Ended): Ended => ({ ...ended, parent: { run: 'top-1', turn: 1, call: 1 } });
const spent = (limit: Parameters<typeof exceededText>[0]['limit']) =>
  of('budget_exceeded', exceededText({ limit, used: 5, max: 5 }));

test.each<[run: Ended, way: WayOn]>([
  [of('running'), 'none'],
  [of('idle'), 'none'],
  [of('succeeded'), 'none'],
  [of('interrupted'), 'resume'],
  [below(of('interrupted')), 'resume'],
  [of('stopped', 'interrupted by the user'), 'resume'],
  [below(of('stopped', 'its caller has ended')), 'resume'],
  [{ ...of('stopped', 'killed'), killed: true }, 'none'],
  [of('timed_out', 'timeout: the run took too long'), 'resume'],
  [spent('tokens'), 'send_with_tokens'],
  [of('budget_exceeded', exceededText({ limit: 'tokens', used: 5, max: 9, next: 7 })), 'send_with_tokens'],
  [spent('nanoUsd'), 'send_with_dollars'],
  [spent('turns'), 'none'],
  [spent('toolCalls'), 'none'],
  [below(spent('tokens')), 'none'],
  [of('failed', 'overloaded: try later'), 'resume'],
  [of('failed', 'rate_limit: slow down'), 'resume'],
  [of('failed', 'server: broken'), 'resume'],
  [of('failed', 'skill not found: /x'), 'resume'],
  [of('failed', 'auth: invalid x-api-key'), 'resume_with_key'],
  [of('failed', 'API key for provider "openai" is not configured (set OPENAI_API_KEY)'), 'resume_with_key'],
  [of('failed', 'bad_request: no such model'), 'resume_with_model'],
  [of('failed', 'unsupported provider "x": supported providers are a, b'), 'resume_with_model'],
  [of('failed', 'invalid model format "x": empty provider'), 'resume_with_model'],
  [of('failed', 'max_usd cannot be enforced: the price of "a/b" is not known; …'), 'resume_with_model'],
  [of('failed', INCOMPLETE.refusal), 'resume_with_model'],
  [of('failed', 'agent exceeded maximum conversation turns (50)'), 'none'],
  [of('failed', 'turn 3 of run "a-1", which this run inherits, has been deleted'), 'none'],
  [below(of('failed', 'bad_request: no such model')), 'send'],
  [below(of('timed_out', 'timeout after 5s')), 'send'],
])('%o goes on by: %s', (run, way) => {
  expect(wayOn(run)).toBe(way);
});
