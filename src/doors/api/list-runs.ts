import type { Context } from 'hono';
import { momentIn } from '../../core/records/age.ts';
import type { ListedTree } from '../../core/records/listed-trees.ts';
import { dayOf } from '../../core/records/spent.ts';
import { termsOf } from '../../terms.ts';
import { dayLimitsOf, type DayLimit } from '../../core/records/day-limits.ts';
import { ownerOf } from '../../core/records/owner.ts';
import { readCosts } from '../../core/reports/read-costs.ts';
import { foundText } from '../../core/reports/found-text.ts';
import { askedTrees } from '../../core/reports/newest-trees.ts';
import type { Costs, ListedRun, RunList } from './answers.ts';
import type { ApiContext } from './context.ts';
import { answer } from './json-answer.ts';
import { CostsQuery, PageQuery } from './list-parameters.ts';
import { parseQuery } from './request.ts';
import { toResource } from './run-resources.ts';
import { ownerSeen, maySee } from './subject.ts';

/** Answers with a page of runs, newest first, and where the next one begins. It may have fewer than there are. */
export async function answerRuns(c: Context, context: ApiContext): Promise<Response> {
  const { since, until, tag = [], ...asked } = parseQuery(c, PageQuery);
  const { records } = context.environment;
  const now = context.now();
  const { trees, next = null } = await askedTrees(records, {
    ...asked,
    owner: ownerSeen(context),
    since: since === undefined ? undefined : momentIn(since, now),
    until: until === undefined ? undefined : momentIn(until, now),
    tags: Object.fromEntries(tag),
  });
  const terms = asked.text === undefined ? [] : termsOf(asked.text);
  const runs = await Promise.all(trees.map((listed) => toListed(listed, terms, context)));
  return answer(c, 200, { runs, next } satisfies RunList);
}

async function toListed(
  { top, found }: ListedTree,
  terms: readonly string[],
  context: ApiContext,
): Promise<ListedRun> {
  const [resource, text] = await Promise.all([
    toResource(top, context),
    found === undefined ? undefined : foundText(found, terms, context.environment.records),
  ]);
  return { ...resource, ...(text !== undefined && { found: text }) };
}

/** Answers with what runs have cost; those of the caller, if a token names one. */
export async function answerCosts(c: Context, context: ApiContext): Promise<Response> {
  const { by, since, until } = parseQuery(c, CostsQuery);
  const now = context.now();
  const day = (text: string) => dayOf(new Date(momentIn(text, now) ?? now).toISOString());
  const today = dayOf(new Date(now).toISOString());
  const asked = until === undefined ? today : day(until);
  const costs = await readCosts(context.environment.records, by, {
    // Nothing was spent on days to come.
    days: { since: day(since), until: asked < today ? asked : today },
    isMeant: (spending) => maySee(spending, context),
  });
  const { readDayLimits } = await import('../../core/reports/read-day-limits.ts');
  const limits = await readDayLimits(await limitsSeen(context), context.environment.records, now);
  return answer(c, 200, { ...costs, limits } satisfies Costs);
}

/** The limits per day of the place: the one on everything is only shown to callers who see the runs of all. */
async function limitsSeen(context: ApiContext): Promise<DayLimit[]> {
  const limits = dayLimitsOf(
    { agent: '', ...ownerOf(context.caller ?? {}) },
    await context.environment.perDay(),
  );
  return ownerSeen(context) === undefined ? limits : limits.filter(({ key }) => key !== 'usd_per_day');
}
