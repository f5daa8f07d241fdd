import { expect, test } from 'vitest';
import { exceededText } from '../../../src/core/spending/refusal.ts';
import { INCOMPLETE } from '../../../src/core/records/run.ts';
import { wayOn, type WayOn } from '../../../src/core/reports/way-on.ts';

type Ended = Parameters<typeof wayOn>[0];
const of = (status: Ended['status'], message?: string, error = 'Stopped'): Ended => ({
  status,
  ...(message !== undefined && { failure: { error, message } }),
});
const limited = (exceeded: string): Ended => ({ ...of('budget_exceeded'), exceeded });
const below = (ended: Ended): Ended => ({ ...ended, parent: { run: 'top-1', turn: 1, call: 1 } });
const spent = (limit: Parameters<typeof exceededText>[0]['limit']) =>
  limited(exceededText({ limit, used: 5, max: 5 }));

test.each<[run: Ended, way: WayOn]>([
  [of('running'), 'none'],
  [of('idle'), 'none'],
  [of('succeeded'), 'none'],
  [of('interrupted'), 'resume'],
  [below(of('interrupted')), 'resume_tree'],
  [of('stopped', 'interrupted by the user'), 'resume'],
  [below(of('stopped', 'its caller has ended')), 'resume_tree'],
  [of('stopped', 'killed by a person (x)', 'Killed'), 'gone'],
  [{ ...of('succeeded'), incomplete: 'max_tokens' }, 'send_for_rest'],
  [of('timed_out', 'timeout: the run took too long'), 'resume'],
  [spent('tokens'), 'send_with_tokens'],
  [limited(exceededText({ limit: 'tokens', used: 5, max: 9, next: 7 })), 'send_with_tokens'],
  [spent('nanoUsd'), 'send_with_dollars'],
  [spent('turns'), 'none'],
  [spent('toolCalls'), 'none'],
  [below(spent('tokens')), 'none'],
  [of('failed', 'overloaded: try later', 'ModelError'), 'resume'],
  [of('failed', 'rate_limit: slow down', 'ModelError'), 'resume'],
  [of('failed', 'server: broken', 'ModelError'), 'resume'],
  [of('failed', 'skill not found: /x', 'AgentError'), 'resume'],
  [of('failed', 'auth: invalid x-api-key', 'ModelError'), 'resume_with_key'],
  [
    of('failed', 'API key for provider "openai" is not configured (set OPENAI_API_KEY)', 'MissingKeyError'),
    'resume_with_key',
  ],
  [of('failed', 'bad_request: no such model', 'ModelError'), 'resume_with_model'],
  [of('failed', 'unsupported provider "x": supported providers are a, b', 'AgentError'), 'resume_with_model'],
  [of('failed', 'invalid model format "x": empty provider', 'AgentError'), 'resume_with_model'],
  [
    of('failed', 'max_usd cannot be enforced: the price of "a/b" is not known; …', 'ConfigError'),
    'resume_with_model',
  ],
  [of('failed', INCOMPLETE.refusal, 'AgentError'), 'resume_with_model'],
  [of('failed', 'agent exceeded maximum conversation turns (50)', 'AgentError'), 'none'],
  [of('failed', 'turn 3 of run "a-1", which this run inherits, has been deleted', 'AgentError'), 'none'],
  // A text that another error says is no reason to recommend another model.
  [of('failed', 'unsupported provider "x"', 'StoreError'), 'resume'],
  [below(of('failed', 'bad_request: no such model', 'ModelError')), 'send'],
  [below(of('timed_out', 'timeout after 5s')), 'send'],
])('%o goes on by: %s', (run, way) => {
  expect(wayOn(run)).toBe(way);
});
