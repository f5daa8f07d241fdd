import { changesSince } from '../../../authoring/replay/changes-since.ts';
import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import type { ChangeReport, PartChange } from '../../../core/reports/change-report.ts';
import type { Environment } from '../../../places/environment.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import { loadOwnTools } from '../../../tools/load-own-tools.ts';
import { changedLines } from '../terminal/difference-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';
import { findRun } from './find-run.ts';
import { defined } from '../../../defined.ts';

export interface AgentsDiffOptions {
  agentsDir?: string;
  json?: boolean;
}

/**
 * `cadre agents diff`: what has changed since a run was opened, with the agents of this folder as they are now.
 * @param word which run: see findRun
 * @returns the exit code: 1 where anything has changed
 * @throws {ConfigError} if there is no such run, or it was never opened
 */
export async function diffAgents(
  word: string,
  environment: Environment,
  { agentsDir, json }: AgentsDiffOptions,
  io: Io,
): Promise<number> {
  const run = await findRun(word, environment);
  const { cwd, env } = io;
  const report = await changesSince(run, {
    cwd,
    source: openAgentFolders({ cwd, env, ...defined({ agentsDir }) }),
    openWorkspace: openFolderWorkspace,
    records: environment.records,
    tools: loadOwnTools,
  });
  io.stdout(`${json ? jsonLine(report) : reportText(report)}\n`);
  return isSame(report) ? EXIT.success : EXIT.agent;
}

function isSame({ version, version_now: now, changes }: ChangeReport): boolean {
  return changes.length === 0 && now !== null && (version === null || version === now);
}

function reportText(report: ChangeReport): string {
  const { run_id: run, agent, opened, version, version_now: now, fault, changes } = report;
  const origin = opened === run ? '' : `, which descends from ${opened}`;
  const head = `run ${run} of "${agent}"${origin}: version ${version ?? 'not known'}, now ${now ?? 'none'}`;
  if (fault !== undefined) return `${head}\nno run of it would begin now: ${oneLine(fault)}`;
  if (isSame(report)) return `${head}\nnothing has changed`;
  if (changes.length === 0) return `${head}\nits file has changed in a setting that runs do not keep`;
  return [head, ...changes.map(changeText)].join('\n\n');
}

/** `tool grep: added`, or the lines that differ. */
function changeText({ part, name, was, is }: PartChange): string {
  const title = oneLine(part === name ? name : `${part} ${name}`);
  if (was === null && part === 'tool') return `${title}: added`;
  if (is === null && part === 'tool') return `${title}: removed`;
  const isShort = [was, is].every((text) => text === null || !text.includes('\n'));
  if (isShort) return `${title}: ${oneLine(was ?? '(none)')} → ${oneLine(is ?? '(none)')}`;
  return [title, ...changedLines(was ?? '', is ?? '')].join('\n');
}
