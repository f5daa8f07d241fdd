import type { Functions } from './functions.ts';
import type { Store } from './store.ts';

/** Lets each function use runs, questions and files as far as its part of a conversation takes, and no further. */
export function openStore(
  store: Store,
  { open, turn, tool, control, settle, batch, servers, api, watch }: Functions,
): void {
  const items = ['GetItem', 'PutItem', 'Query', 'UpdateItem'] as const;
  const texts = ['GetObject', 'PutObject'] as const;
  store.openRunsFor(open, { items, texts });
  store.openRunsFor(turn, { items, texts });
  store.openRunsFor(settle, { items, texts: ['GetObject'] });
  for (const server of servers) store.openRunsFor(server, { items, texts });
  store.openRunsFor(tool, { items: ['GetItem', 'PutItem', 'UpdateItem'], texts });
  store.openRunsFor(control, { items, texts });
  store.openRunsFor(batch, { items, texts });
  for (const closer of [turn, control, settle, batch, ...servers]) store.openListsFor(closer);
  store.openRunsFor(watch, { items: ['GetItem', 'Query'], texts: ['GetObject'] });
  store.openWatchingFor(watch);
  // The page shows how a run of an agent would begin.
  for (const reader of [open, api]) store.openWorkspaceFor(reader, 'read');
  store.openWorkspaceFor(tool, 'write');
}
