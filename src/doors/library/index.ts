/** The package's entry, `cadre`: agents called from code. */
export {
  AgentError,
  ConfigError,
  MissingKeyError,
  ModelError,
  StoreError,
  StoreUnavailableError,
  type ModelErrorCategory,
} from '../../errors.ts';
export { AnsweredError } from '../../core/lifecycle/answer-question.ts';
export type { RunEvent } from '../../core/events/event.ts';
export type {
  Cadre,
  CadreOptions,
  ListOptions,
  RunOptions,
  RunResult,
  StartedRun,
  ForkOptions,
  SendOptions,
  StartOptions,
} from './cadre.ts';
export { openCadre } from './open-cadre.ts';
export type { OpenQuestion } from './questions.ts';
export { runAgent, type RunAgentOptions } from './run-agent.ts';
export { RunError } from './run-error.ts';
export type { RunSummary, RunUsage } from './run-summary.ts';
