import type { Interrupt } from '@ag-ui/core';
import type { ToldEvent } from '../../../core/events/tree-event.ts';
import { idOfCall, interruptOf, toAgUi, type AgUi } from './to-ag-ui.ts';

/** The client's names of a conversation, and of its request in it. */
export interface ClientRun {
  threadId: string;
  runId: string;
}

/**
 * The events of a run between a client's request and the next rest or question, as a run of AG-UI: everything that it
 * names has begun in it, and nothing of it stays open.
 */
export interface RunSegment {
  begin(at: number): AgUi;
  tell(told: ToldEvent): AgUi[];
  /** @param unfinished why it ends if the run has not, and asks nothing */
  end(at: number, unfinished: { code: string; message: string }): AgUi[];
}

/** @param top the run at the top of the tree */
export function createSegment(top: string, { threadId, runId }: ClientRun): RunSegment {
  /** The events that close what is open, in the order in which it was opened. */
  const open = new Map<string, AgUi>();
  const finished = new Set<string>();
  const interrupts = new Map<string, Interrupt & { run: string }>();
  let ending: AgUi | undefined;

  const isKnown = (subagent: unknown) =>
    open.has(`agent ${String(subagent)}`) || finished.has(String(subagent));

  /** @param name of the agent in whose run it happened */
  function* tidy(event: AgUi, name: string): Generator<AgUi> {
    const { type, timestamp, metadata = {}, subagentRunId, messageId, stepName } = event;
    const of = { ...(subagentRunId !== undefined && { subagentRunId }), metadata };
    if (subagentRunId !== undefined && type !== 'SUBAGENT_STARTED' && !isKnown(subagentRunId)) {
      // It was begun before, and goes on.
      yield* tidy({ type: 'SUBAGENT_STARTED', timestamp, name, ...of }, name);
    }
    const message = `message ${String(messageId)}`;
    const step = `step ${String(stepName)}`;
    const agent = `agent ${String(subagentRunId)}`;
    switch (type) {
      case 'RUN_STARTED':
        ending = undefined;
        return;
      case 'RUN_FINISHED':
      case 'RUN_ERROR':
        ending = event;
        return;
      case 'SUBAGENT_STARTED': {
        const { parentSubagentRunId, ...others } = event;
        if (isKnown(subagentRunId)) return;
        open.set(agent, { type: 'SUBAGENT_FINISHED', ...of });
        yield { ...others, ...(isKnown(parentSubagentRunId) && { parentSubagentRunId }) };
        return;
      }
      case 'SUBAGENT_FINISHED':
      case 'SUBAGENT_ERROR':
        finished.add(String(subagentRunId));
        if (open.delete(agent)) yield event;
        return;
      case 'TEXT_MESSAGE_CONTENT':
        if (!open.has(message)) {
          yield* tidy({ type: 'TEXT_MESSAGE_START', timestamp, messageId, role: 'assistant', ...of }, name);
        }
        yield event;
        return;
      case 'TEXT_MESSAGE_START':
        open.set(message, { type: 'TEXT_MESSAGE_END', messageId, ...of });
        yield event;
        return;
      case 'TEXT_MESSAGE_END':
        if (open.delete(message)) yield event;
        return;
      case 'STEP_STARTED':
        if (open.has(step)) return;
        open.set(step, { type: 'STEP_FINISHED', stepName, ...of });
        yield event;
        return;
      case 'STEP_FINISHED':
        if (open.delete(step)) yield event;
        return;
      default:
        yield event;
    }
  }

  return {
    begin: (timestamp) => ({
      type: 'RUN_STARTED',
      timestamp,
      threadId,
      runId,
      protocolVersion: '1.0',
      metadata: { run: top },
    }),
    tell(told) {
      const { event } = told;
      const { run } = event;
      if (event.type === 'question_asked') {
        const interrupt = interruptOf(event);
        interrupts.set(interrupt.id, { ...interrupt, ...(run !== top && { subagentRunId: run }), run });
      }
      if (event.type === 'question_answered') interrupts.delete(idOfCall(event));
      if (event.type === 'run_closed') {
        for (const [id, asked] of interrupts) if (asked.run === run) interrupts.delete(id);
      }
      return toAgUi(top, told).flatMap((part) => [...tidy(part, event.agent)]);
    },
    end(timestamp, unfinished) {
      const asked = [...interrupts.values()];
      const closing = [...open.values()].reverse().map((event): AgUi => {
        if (event.type !== 'SUBAGENT_FINISHED') return { timestamp, ...event };
        const own = asked.filter(({ run }) => run === event['subagentRunId']);
        const outcome = { type: 'suspended', interruptIds: own.map(({ id }) => id) };
        return { timestamp, ...event, outcome };
      });
      return [...closing, last(asked.map(({ run: _run, ...interrupt }) => interrupt))];

      function last(left: Interrupt[]): AgUi {
        const metadata = { run: top };
        if (ending?.type === 'RUN_FINISHED') return { ...ending, threadId, runId };
        if (ending !== undefined) return ending;
        if (left.length === 0) return { type: 'RUN_ERROR', timestamp, ...unfinished, metadata };
        const outcome = { type: 'interrupt', interrupts: left };
        return { type: 'RUN_FINISHED', timestamp, threadId, runId, outcome, metadata };
      }
    },
  };
}
