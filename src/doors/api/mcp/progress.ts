import type { ServerContext } from '@modelcontextprotocol/server';
import type { RunEvent } from '../../../core/events/event.ts';
import { nameOf } from '../../../core/records/run.ts';

/** The events of a tree as progress, if the client asked for it. */
export function createProgress({
  mcpReq,
}: {
  mcpReq: Pick<ServerContext['mcpReq'], '_meta' | 'notify'>;
}): (event: RunEvent) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (event) => {
    const message = toLine(event);
    if (message === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message };
    // A client that has left needs none.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function toLine(event: RunEvent): string | undefined {
  const name = nameOf(event);
  switch (event.type) {
    case 'run_opened':
      return event.depth > 0 ? `${name}: ${event.task}` : undefined;
    case 'turn_started':
      return `${name}: turn ${event.turn}`;
    case 'turn_waiting':
      return `${name}: waits ${Math.ceil(event.delayMs / 1000)} s (${event.reason})`;
    case 'call_started':
      return `${name}: ${event.tool}${event.subject === '' ? '' : ` ${event.subject}`}`;
    case 'run_closed':
      return event.depth > 0 ? `${name}: ${event.status.replace('_', ' ')}` : undefined;
    default:
      return undefined;
  }
}
