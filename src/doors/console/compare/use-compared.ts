import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import type { RunResource } from '../../api/answers.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { get } from '../client/api.ts';
import { conversationPart } from '../detail/conversation-part.ts';
import { toTurns, type TurnBlock } from '../detail/turns.ts';

/** How often to look at a run that is under way, in milliseconds. */
const LOOK_MS = 3_000;

/** A run as it is compared. */
export interface Compared {
  run: RunResource;
  /** The messages before its first turn. */
  before: Conversation['messages'];
  turns: readonly TurnBlock[];
}

/** A run with its whole conversation, read again as long as it is under way. */
export function useCompared(id: string): { compared: Compared | undefined; problem: string | undefined } {
  const [state, setState] = useState<{ compared?: Compared; problem?: string }>({});
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      const [run, { messages }] = await Promise.all([
        get<RunResource>(`runs/${id}`, ending.signal),
        conversationPart(id, { from: 1 }, ending.signal),
      ]);
      setState({ compared: { run, ...toTurns(messages, 1) } });
      if (run.status === 'running') timer = setTimeout(read, LOOK_MS);
    };
    const read = () => {
      look().catch((thrown: unknown) => {
        const problem = messageOf(thrown);
        if (!ending.signal.aborted) setState({ problem });
      });
    };
    setState({});
    read();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return { compared: state.compared, problem: state.problem };
}
