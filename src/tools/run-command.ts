import { UNKNOWN_OUTCOME } from '../core/steps/lost-call.ts';
import { errorOutput } from '../core/tool-contracts/error-output.ts';
import { RefusedCall } from '../core/tool-contracts/arguments.ts';
import { integerArgument, textArgument } from './typed-arguments.ts';
import type { CommandResult, Tool, ToolArguments, ToolOutput } from '../core/tool-contracts/tool.ts';
import { defined } from '../defined.ts';

export const RUN_COMMAND = 'run_command';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;
/** To end a late command with all processes that it started, and to hand back its output until then. */
const ENDING_SECONDS = 5;
/** The same in an account, where the workspace is laid out before a command and written back after it. */
const ISOLATING_SECONDS = 120;

/** The most that a system takes as one argument of a process (Linux, MAX_ARG_STRLEN), in characters of four bytes. */
const MAX_COMMAND = 32_000;

/** `run_command`: runs a command with bash in the workdir. */
export const runCommandTool: Tool = {
  definition: {
    name: RUN_COMMAND,
    description:
      'Run a command with bash in the working directory. Returns what it writes to stdout and stderr, and its exit ' +
      'code. It has no terminal and nothing to read on stdin. Processes that it leaves in the background are ended ' +
      'with it.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command, as in a bash script' },
        timeout: {
          type: 'integer',
          description: 'Seconds after which it is ended; default 120, at most 600',
        },
      },
      required: ['command'],
    },
  },
  writes: true,
  isRepeatable: false,
  seconds: (args, isIsolated) => secondsOf(args) + (isIsolated ? ISOLATING_SECONDS : ENDING_SECONDS),
  subject: (args) => textArgument(args, 'command', MAX_COMMAND),
  subjectIs: 'command',
  async run(args, { commands, signal, tell }) {
    if (commands === undefined) return errorOutput('run_command works in local runs only');
    let command: string;
    try {
      command = commandOf(args);
      timeoutOf(args);
    } catch (thrown) {
      if (thrown instanceof RefusedCall) return errorOutput(thrown.message);
      throw thrown;
    }
    const seconds = secondsOf(args);
    const result = await commands.run(command, { seconds, signal, tell });
    if ('refused' in result) return errorOutput(result.refused);
    if ('lost' in result) return lostOutput(result);
    return { ...toOutput(result, seconds), ...defined({ nanoUsd: result.nanoUsd }) };
  },
};

function commandOf(args: ToolArguments): string {
  const command = textArgument(args, 'command', MAX_COMMAND);
  if (command.trim() === '') throw new RefusedCall('argument "command" is required');
  if (command.includes('\0')) throw new RefusedCall('argument "command" contains a NUL character');
  return command;
}

/** @throws {RefusedCall} */
function timeoutOf(args: ToolArguments): number {
  const seconds = integerArgument(args, 'timeout', { least: 1, fallback: DEFAULT_SECONDS });
  return Math.min(MAX_SECONDS, seconds);
}

/** Asked before the caller can hear that an argument is wrong. */
function secondsOf(args: ToolArguments): number {
  try {
    return timeoutOf(args);
  } catch {
    return DEFAULT_SECONDS;
  }
}

function lostOutput({ lost, nanoUsd }: { lost: string; nanoUsd?: number }): ToolOutput {
  const text = `run_command failed - ${lost}. ${UNKNOWN_OUTCOME}`;
  return { ...errorOutput(text), failure: 'outcome_unknown', ...defined({ nanoUsd }) };
}

function toOutput(
  { output, left, exitCode, killedBy, timedOut, notes = [] }: CommandResult,
  seconds: number,
): ToolOutput {
  // The model may be shown neither this middle nor the note that stands in its place.
  const lost =
    left === 0 ? '' : `[too long to be kept whole: ${left} characters of its middle are missing]\n`;
  const kept = notes.map((note) => `[${note}]\n`).join('');
  const text = `${output === '' || output.endsWith('\n') ? output : `${output}\n`}${lost}${kept}`;
  if (timedOut) {
    const note = `[ended after ${seconds}s, with all that it had started; timeout takes up to ${MAX_SECONDS}]`;
    return { text: `${text}${note}`, isError: true };
  }
  return { text: `${text}${killedBy === undefined ? `[exit code ${exitCode}]` : `[ended by ${killedBy}]`}` };
}
