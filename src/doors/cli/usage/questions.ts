import type { Cli } from '../cli.ts';
import { ENVIRONMENT, withEnvironment } from '../shared-options.ts';

export function defineQuestions({ command, io }: Cli): void {
  command('questions', 'List what waits for a person')
    .option(...ENVIRONMENT)
    .option('--json', 'print JSON')
    .action(async (options: { env?: string; json?: boolean }) => {
      const { listQuestions } = await import('../commands/questions.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        listQuestions(environment, { json: false, ...options }, io),
      );
    });
}

export function defineAnswer({ command, io }: Cli): void {
  command(
    'answer <run> <words...>',
    'Answer a question: [question] <text>, or the number of a choice; an approval: approve, deny [reason] or always',
  )
    .option(...ENVIRONMENT)
    .option('--arguments <json>', 'approve the call with these arguments instead of its own')
    .action(async (run: string, words: string[], options: { env?: string; arguments?: string }) => {
      const { answer } = await import('../commands/answer.ts');
      process.exitCode = await withEnvironment(io, options, (environment) =>
        answer(run, words, environment, options, io),
      );
    });
}
