import type { QuestionItem } from './open-questions.ts';

/** Questions whether calls may be made that are alike: of one agent, one tool, and one kind of subject. */
export interface ApprovalGroup {
  key: string;
  agent: string;
  tool: string;
  /** What their subjects share: a folder, a host, the first word of a command; "" for nothing. */
  pattern: string;
  questions: readonly QuestionItem[];
}

/** Fewer are answered one by one. */
const FEWEST = 2;

/** Groups of approvals that are alike, and the other questions, both in the order in which they were asked. */
export function grouped(open: readonly QuestionItem[]): {
  groups: ApprovalGroup[];
  others: QuestionItem[];
} {
  const groups = new Map<string, QuestionItem[]>();
  for (const question of open) {
    const key = keyOfGroup(question);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), question]);
  }
  const alike = [...groups].filter(([, questions]) => questions.length >= FEWEST);
  const inGroups = new Set(alike.flatMap(([, questions]) => questions));
  return {
    groups: alike.map(([key, questions]) => toGroup(key, questions)),
    others: open.filter((question) => !inGroups.has(question)),
  };
}

function toGroup(key: string, questions: readonly QuestionItem[]): ApprovalGroup {
  const [first] = questions;
  return {
    key,
    agent: first?.agent ?? '',
    tool: first?.tool ?? '',
    pattern: first === undefined ? '' : patternOf(first),
    questions,
  };
}

function keyOfGroup(question: QuestionItem): string | undefined {
  const { agent, tool, about } = question;
  return tool === undefined || about !== undefined
    ? undefined
    : JSON.stringify([agent, tool, patternOf(question)]);
}

/** The kind of subject that a call has, by its arguments. */
function patternOf({ arguments: given = {} }: QuestionItem): string {
  const { command, path, url } = given;
  if (typeof path === 'string') return path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : '';
  if (typeof command === 'string') return command.trim().split(/\s/, 1).join('');
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : '';
}
