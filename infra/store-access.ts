import type { Functions } from './functions.ts';
import type { Store } from './store.ts';

/** Lets each function do what its part of a conversation takes with runs, questions and files, and no more. */
export function openStore(store: Store, { open, turn, tool, control, settle, servers }: Functions): void {
  const items = ['GetItem', 'PutItem', 'Query', 'UpdateItem'] as const;
  const texts = ['GetObject', 'PutObject'] as const;
  store.openRunsFor(open, { items, texts });
  store.openRunsFor(turn, { items, texts });
  store.openRunsFor(settle, { items, texts: ['GetObject'] });
  for (const server of servers) store.openRunsFor(server, { items, texts });
  store.openRunsFor(tool, { items: ['GetItem', 'PutItem', 'UpdateItem'], texts });
  store.openRunsFor(control, { items, texts });
  for (const asker of [turn, control, settle, ...servers]) store.openQuestionsFor(asker);
  store.openWorkspaceFor(open, 'read');
  store.openWorkspaceFor(tool, 'write');
}
