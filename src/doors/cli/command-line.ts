import { CommanderError } from 'commander';
import { faultText } from '../../core/agent-schema/agent-source.ts';
import { createCli, pointToHelp } from './cli.ts';
import { EXIT, exitCodeOfError } from './terminal/exit-code.ts';
import type { RunIo } from './terminal/io.ts';
import { defineAgents } from './usage/agents.ts';
import { defineChat } from './usage/chat.ts';
import { defineCompletion } from './usage/completion.ts';
import { defineConfig } from './usage/config.ts';
import { defineCosts } from './usage/costs.ts';
import { defineDeadLetters } from './usage/dead-letters.ts';
import { defineDoctor } from './usage/doctor.ts';
import { defineEval } from './usage/eval.ts';
import { defineFork } from './usage/fork.ts';
import { defineGc } from './usage/gc.ts';
import { defineImport } from './usage/import.ts';
import { defineInit } from './usage/init.ts';
import { defineKill } from './usage/kill.ts';
import { defineMcp } from './usage/mcp.ts';
import { defineMemory } from './usage/memory.ts';
import { definePause, defineUnpause } from './usage/pause.ts';
import { definePlan } from './usage/plan.ts';
import { defineAnswer, defineQuestions } from './usage/questions.ts';
import { defineRecord, defineReplay, defineTest } from './usage/replay.ts';
import { defineResume } from './usage/resume.ts';
import { defineRollout } from './usage/rollout.ts';
import { defineRun } from './usage/run.ts';
import { defineRuns } from './usage/runs.ts';
import { defineSend } from './usage/send.ts';
import { defineServe } from './usage/serve.ts';
import { defineShow } from './usage/show.ts';
import { defineSkills } from './usage/skills.ts';
import { defineStates } from './usage/states.ts';
import { defineStop } from './usage/stop.ts';
import { defineTraces } from './usage/traces.ts';
import { defineTrust } from './usage/trust.ts';
import { defineVerify } from './usage/verify.ts';
import { defineVersion } from './usage/version.ts';
import { defineWatch } from './usage/watch.ts';
import { defineWorkspace } from './usage/workspace.ts';

/**
 * The commands, in the order in which help lists them. `usage/` says what each takes, and loads the function that does
 * it from `commands/` only when it is called, so that no command waits for what another needs.
 */
const COMMANDS = [
  defineInit,
  defineRun,
  defineChat,
  definePlan,
  defineRuns,
  defineCosts,
  defineTraces,
  defineShow,
  defineWatch,
  defineStop,
  defineKill,
  defineResume,
  defineFork,
  defineSend,
  defineQuestions,
  defineAnswer,
  defineReplay,
  defineRecord,
  defineTest,
  defineEval,
  defineAgents,
  defineImport,
  defineSkills,
  defineMemory,
  defineWorkspace,
  defineGc,
  defineVerify,
  defineDoctor,
  definePause,
  defineUnpause,
  defineRollout,
  defineDeadLetters,
  defineConfig,
  defineTrust,
  defineServe,
  defineMcp,
  defineStates,
  defineCompletion,
  defineVersion,
];

/**
 * Carries out a command line.
 * @param words the words after `cadre`
 * @returns the exit code, if it is known; otherwise the command sets that of the process
 */
export async function runCommandLine(words: readonly string[], io: RunIo): Promise<number | undefined> {
  const cli = createCli(io);
  for (const define of COMMANDS) define(cli);
  pointToHelp(cli.program);
  try {
    if (words.length === 0) return await (await import('./commands/next-steps.ts')).tellNextSteps(io);
    await cli.program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      return thrown.exitCode === 0 ? EXIT.success : EXIT.configuration;
    }
    if (io.interrupted.aborted && thrown === io.interrupted.reason) {
      io.stderr('Error: interrupted by the user\n');
      return EXIT.interrupted;
    }
    io.stderr(`Error: ${await faultText(thrown)}\n`);
    return exitCodeOfError(thrown);
  }
}
