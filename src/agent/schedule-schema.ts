import * as v from 'valibot';
import { messageOf } from '../errors.ts';
import { parseExpression } from '../schedule/parse-expression.ts';
import type { Schedule, TimingKind } from '../schedule/schedule.ts';
import { checkTimeZone } from '../schedule/time-zone.ts';

const KINDS: readonly TimingKind[] = ['cron', 'rate', 'at'];

/** `[schedule]` of the agent file. */
export const scheduleSchema = v.pipe(
  v.object(
    {
      cron: v.optional(
        expression(
          'cron',
          'Minutes, hours, day of the month, month, day of the week and year, such as "0 9 ? * MON-FRI *". One of the two days is "?".',
        ),
        '',
      ),
      rate: v.optional(expression('rate', 'How often, such as "15 minutes", "1 hour" or "7 days".'), ''),
      at: v.optional(expression('at', 'Once, at a date and time such as "2026-01-31T10:00:00".'), ''),
      timezone: v.optional(
        v.pipe(
          v.string('a string'),
          v.rawCheck(({ dataset, addIssue }) => {
            if (!dataset.typed) return;
            const reason = faultOf(() => checkTimeZone(dataset.value));
            if (reason !== undefined) {
              addIssue({ message: `schedule.timezone ${JSON.stringify(dataset.value)}: ${reason}` });
            }
          }),
          v.description('The clock that `cron` and `at` go by, such as "Europe/Berlin".'),
        ),
        'UTC',
      ),
      prompt: v.optional(
        v.pipe(
          v.string('a string'),
          v.description('What the agent is asked each time. Empty means its own instructions alone.'),
        ),
        '',
      ),
      enabled: v.optional(
        v.pipe(v.boolean('true or false'), v.description('Whether the schedule is followed.')),
        true,
      ),
      max_tokens: v.optional(
        v.pipe(
          v.number('an integer'),
          v.integer('an integer'),
          v.minValue(0, 'schedule.max_tokens must be non-negative'),
          v.description('Most tokens for each such run with all its sub-agents. 0 means what [budget] says.'),
        ),
        0,
      ),
      max_usd: v.optional(
        v.pipe(
          v.number('a number'),
          v.finite('a number'),
          v.minValue(0, 'schedule.max_usd must be non-negative'),
          v.description(
            'Most dollars for each such run with all its sub-agents. 0 means what [budget] says.',
          ),
        ),
        0,
      ),
    },
    'a table',
  ),
  v.check(
    (schedule) => KINDS.filter((kind) => schedule[kind] !== '').length === 1,
    'schedule takes one of cron, rate and at',
  ),
  v.description('When the agent runs on its own, as Amazon EventBridge Scheduler has it.'),
);

/** Undefined where the file has none. */
export function fromSchedule(table: v.InferOutput<typeof scheduleSchema> | undefined): Schedule | undefined {
  if (table === undefined) return undefined;
  const kind = KINDS.find((candidate) => table[candidate] !== '') ?? 'cron';
  const { timezone, prompt, enabled } = table;
  const budget = {
    ...(table.max_tokens > 0 && { tokens: table.max_tokens }),
    ...(table.max_usd > 0 && { nanoUsd: Math.round(table.max_usd * 1e9) }),
  };
  return {
    kind,
    expression: parseExpression(kind, table[kind]),
    timezone,
    prompt,
    enabled,
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}

function expression(kind: TimingKind, description: string) {
  return v.pipe(
    v.string('a string'),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || dataset.value === '') return;
      const reason = faultOf(() => parseExpression(kind, dataset.value));
      if (reason !== undefined) {
        addIssue({ message: `schedule.${kind} ${JSON.stringify(dataset.value)}: ${reason}` });
      }
    }),
    v.description(description),
  );
}

function faultOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
