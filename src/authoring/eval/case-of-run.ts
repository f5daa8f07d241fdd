import { ConfigError } from '../../errors.ts';
import { preview } from '../../core/records/preview.ts';
import type { RunReads } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import { writeToml } from '../import/write-toml.ts';
import { outcomeOf } from './outcome.ts';

/** A run as a case: what it was asked, and what it did as the first draft of what is expected. */
export interface CaseOfRun {
  name: string;
  prompt?: string;
  input?: string;
  expect: { calls: string; at_most: number }[];
  /** Files of the project that it was shown, which no case begins with. */
  shown: readonly string[];
  /** What it answered, for whoever writes down what is expected. */
  answer: string;
}

const NAME_CHARACTERS = 60;
const ANSWER_CHARACTERS = 500;

/** @throws {ConfigError} if the run began otherwise than with a prompt alone */
export async function caseOf(
  run: Run,
  records: Pick<RunReads, 'opened' | 'request' | 'run' | 'tree' | 'turns'>,
): Promise<CaseOfRun> {
  if (run.parent !== undefined)
    throw new ConfigError(`run "${run.id}" was called by another: add the top of its tree, ${run.root}`);
  const request = await records.request(run.id);
  if (request === undefined || request.forkedFrom !== undefined || request.earlier !== undefined)
    throw new ConfigError(`run "${run.id}" takes up another conversation, which no case can`);
  if (request.attachments !== undefined)
    throw new ConfigError(
      `run "${run.id}" was given images or documents: write the case yourself, with attach`,
    );
  const { prompt = '', context = '' } = request;
  const [{ answer, calls }, opened] = await Promise.all([outcomeOf(run.id, records), records.opened(run.id)]);
  const times = new Map<string, number>();
  for (const { tool } of calls) times.set(tool, (times.get(tool) ?? 0) + 1);
  return {
    name:
      preview(prompt.trim() || context)
        .slice(0, NAME_CHARACTERS)
        .toWellFormed()
        .trim() || run.id,
    ...(prompt.trim() !== '' && { prompt }),
    ...(context.trim() !== '' && { input: context }),
    expect: [...times].map(([tool, made]) => ({ calls: tool, at_most: made })),
    shown: opened?.files ?? [],
    answer,
  };
}

/** The case as the text of a file, behind other cases. */
export function caseText({ answer, expect, shown, ...rest }: CaseOfRun): string {
  const files =
    shown.length === 0
      ? ''
      : comment(`It was shown ${shown.join(', ')}: files = "…" names a folder that has what the case needs`);
  const written = writeToml({ cases: [{ ...rest, expect }] }).trimStart();
  const cut =
    answer.length > ANSWER_CHARACTERS ? `${answer.slice(0, ANSWER_CHARACTERS).toWellFormed()}…` : answer;
  return `${comment(`It answered: ${JSON.stringify(cut)}`)}${files}${written}`;
}

/** No control character may stand in a comment, not even those of a file's name. */
function comment(text: string): string {
  return `# ${text.replaceAll(/\p{Cc}/gu, '\ufffd')}\n`;
}

/** The head of a new evaluation. */
export function headText(agent: string): string {
  return writeToml({ agent });
}
