import * as v from 'valibot';
import { messageOf } from '../../errors.ts';
import { toNanoUsd } from '../records/nano-usd.ts';
import { parseExpression } from './schedule/parse-expression.ts';
import type { Schedule, TimingKind } from './schedule/schedule.ts';
import { checkTimeZone } from './schedule/time-zone.ts';
import { SERVICE_WORDS } from '../../token-usage.ts';
import { choice, count, dollars, flag, table, text } from './key-types.ts';

const KINDS: readonly TimingKind[] = ['cron', 'rate', 'at'];

/** `[schedule]` of the agent file. */
export const scheduleSchema = v.pipe(
  table('When the agent starts by itself, in the syntax of Amazon EventBridge Scheduler.', {
    cron: expression(
      'cron',
      'Minutes, hours, day of the month, month, day of the week and year, such as "0 9 ? * MON-FRI *". One of the two days is "?".',
    ),
    rate: expression('rate', 'How often, such as "15 minutes", "1 hour" or "7 days".'),
    at: expression('at', 'Once, at a date and time such as "2026-01-31T10:00:00".'),
    timezone: v.optional(
      checked(checkTimeZone, 'The time zone of `cron` and `at`, such as "Europe/Berlin".'),
      'UTC',
    ),
    prompt: text('What the agent is asked each time. Empty means its own instructions only.'),
    enabled: flag('Whether the schedule is active.', true),
    service: v.exactOptional(
      choice(
        ['', ...SERVICE_WORDS],
        'How requests of scheduled runs are served. Empty means as in [params].',
      ),
    ),
    max_tokens: count(
      'The most tokens for each scheduled run with all its sub-agents. 0 means the limit in [budget].',
    ),
    max_usd: dollars(
      'The most dollars for each scheduled run with all its sub-agents. 0 means the limit in [budget].',
    ),
  }),
  v.check(
    (schedule) => KINDS.filter((kind) => schedule[kind] !== '').length === 1,
    '{key} takes exactly one of cron, rate and at',
  ),
  v.transform((file): Schedule => {
    const kind = KINDS.find((candidate) => file[candidate] !== '') ?? 'cron';
    const { timezone, prompt, enabled } = file;
    const budget = {
      ...(file.max_tokens > 0 && { tokens: file.max_tokens }),
      ...(file.max_usd > 0 && { nanoUsd: toNanoUsd(file.max_usd) }),
    };
    return {
      kind,
      expression: parseExpression(kind, file[kind]),
      timezone,
      prompt,
      enabled,
      ...(file.service && { service: file.service }),
      ...(Object.keys(budget).length > 0 && { budget }),
    };
  }),
);

/** One of the kinds of schedule; "" for none of this kind. */
function expression(kind: TimingKind, description: string) {
  const parse = (written: string) => written === '' || parseExpression(kind, written);
  return v.optional(checked(parse, description), '');
}

/** A string that `parse` does not throw for. */
function checked(parse: (written: string) => unknown, description: string) {
  return v.pipe(
    v.string('a string'),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      try {
        parse(dataset.value);
      } catch (error) {
        addIssue({ message: `{key} ${JSON.stringify(dataset.value)}: ${messageOf(error)}` });
      }
    }),
    v.description(description),
  );
}
