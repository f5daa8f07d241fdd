import { useEffect, useState } from 'preact/hooks';
import type { RunResource } from '../../api/answers.ts';
import { get } from '../client/api.ts';
import { useReading, type ApiAnswer } from '../client/use-answer.ts';
import { conversationPart } from '../detail/conversation-part.ts';
import { toTurns, type TurnBlock } from '../detail/turns.ts';

/** How often to look at a run that is under way, in milliseconds. */
const LOOK_MS = 3_000;

/** A run as it is compared. */
export interface Compared {
  run: RunResource;
  turns: readonly TurnBlock[];
}

/** A run with its whole conversation, read again as long as it is under way. */
export function useCompared(id: string): ApiAnswer<Compared> {
  const [everyMs, setEvery] = useState<number>();
  const answer = useReading(id, compared, everyMs);
  useEffect(() => setEvery(answer.data?.run.status === 'running' ? LOOK_MS : undefined), [answer.data]);
  return answer;
}

async function compared(id: string, signal: AbortSignal): Promise<Compared> {
  const [run, { messages }] = await Promise.all([
    get<RunResource>(`runs/${id}`, signal),
    conversationPart(id, { from: 1 }, signal),
  ]);
  return { run, turns: toTurns(messages, 1).turns };
}
