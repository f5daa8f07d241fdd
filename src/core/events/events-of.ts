import { UNDER_WAY, isIn } from '../records/phase.ts';
import { isAhead, type Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import {
  callFinishedEvent,
  callIdentity,
  callStartedEvent,
  closedEvent,
  openedEvent,
  questionAnsweredEvent,
  questionAskedEvent,
  turnFinishedEvent,
  type RunEvent,
} from './event.ts';
import type { Write } from './write.ts';

/**
 * The events of a write that took effect, for listeners that hear of single writes only. The end of a run comes without
 * its text.
 * @param run the record of the run that it is about
 * @param turn the turn that it is about, if it is about a call
 */
export function eventsOf(write: Write, run: Run, turn: Turn | undefined): RunEvent[] {
  switch (write.type) {
    case 'run':
      return changesOf(write.before, write.after);
    case 'opened':
      return [];
    case 'turn':
      return [turnFinishedEvent(run, write.turn)];
    case 'call_begun':
    case 'call_ended': {
      const call = turn?.answer.calls[write.at.call - 1];
      if (turn === undefined || call === undefined) return [];
      const identity = callIdentity(turn, write.at.call);
      return write.type === 'call_begun'
        ? [callStartedEvent(run, identity, call)]
        : [callFinishedEvent(run, identity, write.result)];
    }
    case 'asked':
      return [questionAskedEvent(run, write.question)];
    case 'answered':
      return [questionAnsweredEvent(run, write.at, write.answer)];
  }
}

/** The events of a run, by its record before and after. A record written ahead of its execution tells of nothing. */
function changesOf(given: Run | undefined, after: Run): RunEvent[] {
  const isYet = (run: Run) => isAhead(run) && run.status === 'running';
  if (isYet(after)) return [];
  const before = given !== undefined && isYet(given) ? undefined : given;
  const was = before !== undefined && isIn(UNDER_WAY, before);
  const is = isIn(UNDER_WAY, after);
  // An execution follows that takes it over.
  const isRecovered = before?.status === 'stopped' && before.holder === after.holder;
  const isOpened = before === undefined || (is && !isRecovered && (!was || after.holder > before.holder));
  const isClosed = !is && before?.status !== after.status;
  return [...(isOpened ? [openedEvent(after)] : []), ...(isClosed ? [closedEvent(after, [])] : [])];
}
