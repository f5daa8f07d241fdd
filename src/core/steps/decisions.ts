import type { CallKey } from '../records/call.ts';
import type { Hook, KeptDecision } from '../records/hook.ts';
import { isAboutTool } from '../records/hooked-tool.ts';
import type { RunReads } from '../records/ports.ts';

/**
 * What hooks have decided about a call, or about the text of a turn. Each is read by its key: not every function may list
 * what a run has.
 * @param tool "" for a text
 */
export async function readDecisions(
  { run, turn, call }: CallKey,
  tool: string,
  hooks: readonly Hook[] | undefined,
  store: Pick<RunReads, 'decision'>,
): Promise<KeptDecision[]> {
  const keys = (hooks ?? []).flatMap((hook, number) => {
    if (call === 0 ? hook.on !== 'before_answer' : !isAboutTool(hook, tool)) return [];
    const at = { turn, call, hook: number };
    return hook.on === 'before_call' ? [at, { ...at, isEdited: true }] : [at];
  });
  const read = await Promise.all(
    keys.map(async (at) => ({ at, decided: await store.decision({ run, ...at }) })),
  );
  return read.flatMap(({ at, decided }) => (decided === undefined ? [] : [{ ...at, decided }]));
}
