import type { RunRecords, TurnRecords } from '../events/records.ts';
import { callName } from '../records/call.ts';
import { AT_WORK, isIn } from '../records/phase.ts';
import type { Question } from '../records/question.ts';
import { isHeldBack } from '../records/plan.ts';
import type { Wait } from './run-schemas.ts';
import { defined } from '../../defined.ts';

/**
 * The waits of a run that is at work: each of its open calls once or, if there is none, its model, or whoever decides about
 * the model's words.
 */
export function waitsOf({ run, turns, aboutTexts }: RunRecords): Wait[] {
  const last = turns.at(-1);
  const aboutText = aboutTexts?.get(turns.length + 1);
  if (aboutText !== undefined && aboutText.answer === undefined) return [toWait(aboutText.question)];
  if (last === undefined) return [{ for: 'model', since: run.resumedAt ?? run.startedAt }];
  const open = last.turn.plans.flatMap((_, index) =>
    last.ends[index] === undefined ? waitOf(last, index) : [],
  );
  if (open.length === 0) return [{ for: 'model', since: sinceLastEnd(last) }];
  // However many sub-agents are awaited, the tree shows which.
  const agents = open.find((wait) => wait.for === 'agents');
  return [...open.filter((wait) => wait.for !== 'agents'), ...(agents === undefined ? [] : [agents])];
}

/** Whether people have to answer before anything in a tree continues. */
export function waitsForPeople(tree: Iterable<RunRecords>): boolean {
  const waits = [...tree].flatMap((each) => (isIn(AT_WORK, each.run) ? waitsOf(each) : []));
  return (
    waits.some((wait) => wait.for === 'person') &&
    waits.every((wait) => wait.for !== 'model' && wait.for !== 'tool')
  );
}

function waitOf({ turn, questions, ends }: TurnRecords, index: number): Wait[] {
  const plan = turn.plans[index];
  const since = turn.at;
  const asked = questions[index];
  if (asked !== undefined && asked.answer === undefined) {
    return [toWait(asked.question)];
  }
  if (asked === undefined && isHeldBack(turn.plans, index, (other) => ends[other] !== undefined)) return [];
  switch (plan?.kind) {
    case 'delegate':
      return [{ for: 'agents', since }];
    case 'invoke':
      return [{ for: 'tool', since, tool: turn.answer.calls[index]?.name ?? '', subject: plan.subject }];
    case 'wait':
      return [{ for: 'messages', since, ...defined({ from: plan.from }) }];
    default:
      return [];
  }
}

function toWait(asked: Question): Wait {
  const { askedAt, question, approval } = asked;
  return {
    for: 'person',
    since: askedAt,
    question_id: callName(asked),
    question,
    ...(approval !== undefined && { tool: approval.tool }),
  };
}

function sinceLastEnd({ turn, ends }: TurnRecords): string {
  return new Date(Math.max(Date.parse(turn.at), ...ends.map((end) => end?.at ?? 0))).toISOString();
}
