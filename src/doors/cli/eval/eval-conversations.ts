import type { Variant } from '../../../authoring/eval/variant.ts';
import { conversationOf } from '../../../core/reports/conversation-report.ts';
import type { EvalReport } from '../../../core/reports/eval-report.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { loadOwnTools } from '../../../tools/load-own-tools.ts';
import { html } from './html.ts';

/** A report is one file, so this is how much of each text it shows. `cadre show` has the whole. */
const MOST_CHARACTERS = 20_000;

/** The conversations of all runs of the tries that failed, and of their judges, as HTML by the run at the top. */
export async function failedConversations(
  report: EvalReport,
  variants: readonly Variant[],
): Promise<Map<string, string>> {
  const shown = new Map<string, string>();
  for (const { variant, tries } of report.cases) {
    const records = variants.find(({ name }) => name === variant)?.environment.records;
    if (records === undefined) continue;
    for (const { passed, run_id: run, grades } of tries) {
      if (passed) continue;
      const judges = grades.flatMap((each) => each.run_id ?? []);
      const parts: string[] = [];
      for (const root of [run, ...judges]) {
        for (const { id, agent } of await records.tree(root)) {
          const part = { maxCharacters: MOST_CHARACTERS };
          parts.push(conversationHtml(agent, id, await conversationOf(id, records, loadOwnTools, part)));
        }
      }
      shown.set(run, parts.join(''));
    }
  }
  return shown;
}

function conversationHtml(agent: string, run: string, { system, messages }: Conversation): string {
  const all = [...(system === '' ? [] : [block('system', system)]), ...messages.flatMap(messageHtml)];
  return `<section><h4>${html(agent)} <code>${html(run)}</code></h4>${all.join('')}</section>`;
}

function messageHtml(message: Conversation['messages'][number]): string[] {
  switch (message.role) {
    case 'user':
      return [block('user', message.text)];
    case 'assistant':
      return [
        ...(message.text === '' ? [] : [block('assistant', message.text)]),
        ...message.calls.map(({ name, arguments: args }) =>
          block('call', `${name} ${JSON.stringify(args, undefined, 2)}`),
        ),
      ];
    case 'tool':
      return message.results.map(({ name, text, is_error: isError }) =>
        block(isError ? 'error' : 'result', `${name}: ${text}`),
      );
  }
}

function block(kind: string, text: string): string {
  return `<div class="message ${kind}"><b>${kind}</b><pre>${html(text)}</pre></div>`;
}
