import type { Context } from 'hono';
import type { Run } from '../../core/records/run.ts';
import { conversationOf, type ConversationPart } from '../../core/reports/conversation-report.ts';
import { openQuestions } from '../../core/reports/open-questions.ts';
import { questionReport } from '../../core/reports/question-report.ts';
import { runInTree } from '../../core/reports/run-report.ts';
import { shownTree } from '../../core/reports/shown-tree.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import type { RunMessages, RunTree } from './answers.ts';
import { budgetOf } from './budget.ts';
import type { ApiContext } from './context.ts';
import { parseQuery } from './request.ts';
import { MessagesQuery } from './reading-parameters.ts';
import { linkIfLarge } from './link-if-large.ts';
import { summary } from './run-resources.ts';

export async function toTree(run: Run, context: ApiContext): Promise<RunTree> {
  const [tree, budget, questions] = await Promise.all([
    shownTree(run, context.environment.records),
    budgetOf(run, context),
    openQuestions(context.environment.records, run.root),
  ]);
  const ids = new Set(tree.map(({ id }) => id));
  const runs = tree.map(runInTree);
  const link = await linkIfLarge(runs, `${run.id}/tree`, context);
  return {
    ...summary(run, tree, context),
    ...(link === undefined ? { runs } : { runs: null, runs_link: link }),
    ...(budget !== undefined && { budget }),
    open_questions: questions.filter(({ question }) => ids.has(question.run)).map(questionReport),
  };
}

/** The wanted part of a conversation. @throws {Problem} 400 */
export function parsePart(c: Context): ConversationPart {
  const query = parseQuery(c, MessagesQuery);
  return {
    fromTurn: query.from_turn,
    toTurn: query.to_turn,
    maxCharacters: query.max_characters,
    maxCallCharacters: query.max_call_characters,
  };
}

export async function toMessages(
  run: Run,
  part: ConversationPart,
  context: ApiContext,
): Promise<RunMessages> {
  const conversation = await conversationOf(run.id, context.environment.records, loadOwnTools, part);
  const link = await linkIfLarge(conversation, `${run.id}/messages`, context);
  return link === undefined ? conversation : { conversation_link: link };
}
