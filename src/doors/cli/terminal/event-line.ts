import type { TreeEvent } from '../../../core/events/tree-event.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import { KILLED } from '../../../core/records/phase.ts';
import { runName } from './derived-run.ts';
import { count, counted } from '../../../counted.ts';
import { seconds } from './figures.ts';
import { oneLine } from './printable.ts';
import { toolCall } from './tool-call.ts';

/** Longer texts are cut in a list. */
const LONGEST_TEXT = 120;

/** An event in a line, indented as deep as its run is; undefined for events without a line of their own. */
export function eventLine({ at, event }: TreeEvent): string | undefined {
  const said = wordsOf(event);
  if (said === undefined) return undefined;
  const time = new Date(at).toISOString().slice('2026-11-22T'.length);
  return oneLine(`${time} ${'  '.repeat(event.depth)}${runName(event)}: ${said}`);
}

function wordsOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run_opened':
      return `run ${event.run} opened: ${shortened(event.task)}`;
    case 'skill_loaded':
      return `skill ${event.skill} loaded`;
    case 'context_discovered':
      return `${counted(event.files.length, 'context file')}: ${shortened(event.files.join(', '))}`;
    case 'turn_started':
      return `turn ${event.turn} began with ${counted(event.messages, 'message')}`;
    case 'turn_finished': {
      const { inputTokens, outputTokens } = event.usage;
      const figures = `${count(inputTokens)} tokens in, ${count(outputTokens)} out, ${seconds(event.latencyMs)}`;
      const text = event.text.trim() === '' ? '' : `: ${shortened(event.text.trim())}`;
      return `turn ${event.turn} ended with ${counted(event.calls, 'call')} (${figures})${text}`;
    }
    case 'call_started':
      return `call ${event.turn}.${event.call} made: ${toolCall(event)}`;
    case 'call_finished': {
      const how = event.isError ? 'failed' : 'ended';
      const length = counted(event.characters, 'character');
      return `call ${event.turn}.${event.call} ${how}: ${toolCall(event)} (${length}, ${seconds(event.durationMs)})`;
    }
    case 'run_closed': {
      const reason = event.reason === '' ? '' : `: ${shortened(event.reason)}`;
      const status = event.error === KILLED ? 'killed' : event.status;
      return `run ${event.run} ${status} (${seconds(event.durationMs)})${reason}`;
    }
    case 'question_asked':
      return `call ${event.turn}.${event.call} asks: ${shortened(event.question)}`;
    case 'question_answered': {
      const who = event.by === undefined ? '' : ` by ${event.by}`;
      const how =
        event.answer === undefined ? 'was not answered' : `was answered${who}: ${shortened(event.answer)}`;
      return `call ${event.turn}.${event.call} ${how}`;
    }
    // Live only: a list is the same whenever it is made.
    case 'message_delta':
    case 'turn_waiting':
    case 'call_output':
    case 'warning':
      return undefined;
  }
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
