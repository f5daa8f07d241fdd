import { readFileSync } from 'node:fs';

interface Review {
  summary: string;
  findings: { file: string; line: number; severity: string; text: string }[];
}

/**
 * The text of a comment. What a model wrote may come from the author of the change: it mentions nobody, and shows no
 * pictures and no links.
 */
export function commentOf({ summary, findings }: Review): string {
  const lines = findings.map(
    ({ file, line, severity, text }) =>
      `- **${plain(severity)}**, ${plain(file)}, line ${line}: ${plain(text)}`,
  );
  return [plain(summary), ...(lines.length === 0 ? [] : ['', ...lines]), ''].join('\n');
}

function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#!|~&]/g, String.raw`\$&`)
    .replaceAll(/@|:\/\/|www\./gi, '$&\u200B');
}

// npx tsx tools/comment.ts review.json > comment.md
const [, script, file] = process.argv;
if (script === import.meta.filename && file !== undefined) {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- JSON.parse gives any; the schema of the agent holds
  const run: { output: Review } = JSON.parse(readFileSync(file, 'utf8'));
  process.stdout.write(commentOf(run.output));
}
