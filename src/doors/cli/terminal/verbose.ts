import type { RunEvent } from '../../../core/events/event.ts';
import { runName } from './derived-run.ts';
import { oneLine } from './printable.ts';
import { toolCall } from './tool-call.ts';

/** The longest line of a thought, unless it is one word. */
const THOUGHT_CHARACTERS = 120;

/**
 * Puts the events of a tree into lines for `--verbose` on stderr: the top's turns, each sub-agent's start and end, and
 * what the top's model thinks, which comes in pieces: a line of that is told once it is whole, or long enough, and the
 * rest ahead of the top's next event. An event that has no line is undefined.
 */
export function createVerbose(root: string): (event: RunEvent) => string | undefined {
  let thought = '';
  return (event) => {
    if (event.run !== root) return verboseLine(event, root);
    const isThought = event.type === 'message_delta' && event.kind === 'thinking';
    const { whole, rest } = thoughtLines(thought + (isThought ? event.text : '\n'));
    thought = rest;
    const line = verboseLine(event, root);
    const lines = [
      ...whole.map((each) => oneLine(`[thinking] ${each}`)),
      ...(line === undefined ? [] : [line]),
    ];
    return lines.length === 0 ? undefined : lines.join('\n');
  };
}

/** The lines of a text that are whole or as long as a line may be, and the rest. */
function thoughtLines(text: string): { whole: string[]; rest: string } {
  const lines = text.split('\n');
  let rest = lines.pop() ?? '';
  while (rest.length > THOUGHT_CHARACTERS) {
    const end = rest.lastIndexOf(' ', THOUGHT_CHARACTERS);
    if (end <= 0) break;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  return { whole: lines.filter((line) => line.trim() !== ''), rest };
}

/** The text of one event alone, or undefined. */
function verboseLine(event: RunEvent, root: string): string | undefined {
  if (event.type === 'call_output') return outputLines(event.tool, event.text);
  const line = lineOf(event, root);
  const refused = event.type === 'turn_finished' ? (event.refused ?? []) : [];
  const lines = [
    ...(line === undefined ? [] : [line]),
    ...refused.map(({ tool, text }) => `[tool] ${tool} was not called: ${text}`),
  ];
  return lines.length === 0 ? undefined : lines.map(oneLine).join('\n');
}

/** A tool's output, a line at a time. */
function outputLines(tool: string, text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : lines.map((line) => `[${tool}] ${oneLine(line)}`).join('\n');
}

function lineOf(event: Exclude<RunEvent, { type: 'call_output' }>, root: string): string | undefined {
  switch (event.type) {
    case 'turn_started':
      if (event.run !== root) return undefined;
      return `[turn ${event.turn}] Sending request (${event.messages} messages, ${event.pendingCalls} tool calls pending)`;
    case 'turn_finished':
      if (event.run !== root) return undefined;
      return `[turn ${event.turn}] Received response: ${event.stopReason} (${event.calls} tool calls)`;
    case 'turn_waiting':
      if (event.run !== root) return undefined;
      return `[turn ${event.turn}] Waiting ${event.delayMs}ms: ${event.reason}`;
    case 'call_started':
      return event.kind === 'invoke' ? `[tool] ${toolCall(event)}` : undefined;
    case 'call_finished': {
      if (event.kind !== 'invoke') return undefined;
      const how = event.failure === undefined ? 'completed' : `failed (${event.failure})`;
      return `[tool] ${toolCall(event)} ${how} in ${event.durationMs}ms (${event.characters} chars returned)`;
    }
    case 'question_asked':
      return undefined; // told without --verbose, too
    case 'question_answered':
      return `[question] ${event.agent} ${event.answer === undefined ? 'was not answered' : 'was answered'}`;
    case 'skill_loaded':
    case 'context_discovered':
    case 'message_delta':
      return undefined;
    case 'warning':
      return undefined; // told without --verbose, too
    case 'run_opened':
      if (event.run === root) return undefined;
      return `[sub-agent] Calling "${runName(event)}" (depth ${event.depth}) with task: ${event.task.slice(0, 80)}...`;
    case 'run_closed':
      if (event.run === root) return undefined;
      // Agents beside their callers are idle once they have answered.
      if (event.status !== 'succeeded' && event.status !== 'idle')
        return `[sub-agent] "${runName(event)}" failed: ${event.reason}`;
      return `[sub-agent] "${runName(event)}" completed in ${event.durationMs}ms (${event.characters} chars returned)${event.reason && `: ${event.reason}`}`;
  }
}
