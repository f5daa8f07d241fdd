import * as v from 'valibot';
import { momentIn } from '../../core/records/age.ts';
import { isRunId } from '../../core/records/run-id.ts';
import { parseTag } from '../../core/records/tags.ts';
import { termsOf } from '../../terms.ts';
import { COSTS_BY_TEXT, parseCostsBy } from '../../core/reports/cost-report.ts';
import { RunStatus } from '../../core/reports/run-status.ts';
import { only, wholeNumber } from './request.ts';

/** The schemas of the queries of lists. */

const MAX_PAGE = 100;
const MAX_TEXT = 200;
const MAX_TAGS = 20;

const moment = v.pipe(
  v.string(),
  v.check((text) => momentIn(text, 0) !== undefined, 'must be an age such as 7d, or ISO 8601'),
);

export const PageQuery = only({
  limit: v.optional(v.pipe(wholeNumber(1, MAX_PAGE), v.description('The most runs to list.')), 20),
  after: v.exactOptional(
    v.pipe(
      v.string('must be a string'),
      v.check(isRunId, 'must be the `next` of another page'),
      v.description('The `next` of another page.'),
    ),
  ),
  agent: v.exactOptional(v.pipe(v.string(), v.description('Only runs of this agent.'))),
  status: v.exactOptional(
    v.pipe(
      v.picklist(RunStatus.options, `must be one of ${RunStatus.options.join(', ')}`),
      v.description('Only runs in this state.'),
    ),
  ),
  tag: v.exactOptional(
    v.pipe(
      v.array(
        v.pipe(v.string(), v.transform(parseTag), v.tuple([v.string(), v.string()], 'must be key=value')),
      ),
      v.maxLength(MAX_TAGS, `must be at most ${MAX_TAGS}`),
      v.check((tags) => new Set(tags.map(([key]) => key)).size === tags.length, 'must name each key once'),
      v.description('Only runs with this tag, as `key=value`; repeat it for several.'),
    ),
  ),
  since: v.exactOptional(
    v.pipe(moment, v.description('Only runs that began then or later: ISO 8601, or an age such as `7d`.')),
  ),
  until: v.exactOptional(v.pipe(moment, v.description('Only runs that began before that; likewise.'))),
  version: v.exactOptional(
    v.pipe(v.string(), v.description('Only runs that were shaped by the same, as their `version` says.')),
  ),
  pack: v.exactOptional(
    v.pipe(
      v.string(),
      v.description('Only runs of trees of this pack of agents, by its name or by its folder.'),
    ),
  ),
  text: v.exactOptional(
    v.pipe(
      v.string(),
      v.maxLength(MAX_TEXT, `must have at most ${MAX_TEXT} characters`),
      v.check((text) => termsOf(text).length > 0, 'must have a word'),
      v.description(
        'Only runs in whose trees all of these words occur, or longer ones that contain them: in tasks, answers, calls and their results, errors and tags.',
      ),
    ),
  ),
});

const day = v.pipe(
  moment,
  v.description('ISO 8601, or an age such as `14d`. The day in UTC that it is on is the first one.'),
);

export const CostsQuery = only({
  by: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => parseCostsBy(text) !== undefined, `must be ${COSTS_BY_TEXT}`),
      v.transform((text) => parseCostsBy(text) ?? { by: [] }),
      v.description(`What to add up by: ${COSTS_BY_TEXT}, which counts whole trees.`),
    ),
    'day',
  ),
  since: v.optional(day, '14d'),
  until: v.exactOptional(
    v.pipe(moment, v.description('The day that it is on is the last one; absent: today.')),
  ),
});
