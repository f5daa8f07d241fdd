import type { TomlPath } from '../../parse-toml.ts';
import type { FunctionTarget } from '../records/call.ts';
import type { Agent } from './agent.ts';
import type { AgentFunction } from './function-schema.ts';
import { hooksOf } from './hook-schema.ts';

/** A function of the user's own that an agent reaches. */
export interface OwnFunction extends Pick<FunctionTarget, 'source' | 'seconds'> {
  name: string;
  description: string;
  /** Its name as a hook, for a module that is only a hook; absent: it is one of `[[functions]]`. */
  hook?: string;
  /** Where the agent's file has its module. */
  path: TomlPath;
}

/** Those that the model is offered as tools. */
export function offeredFunctions<F extends Pick<AgentFunction, 'isOffered'>>(agent: {
  functions: readonly F[];
}): F[] {
  return agent.functions.filter(({ isOffered = true }) => isOffered);
}

/** The functions that an agent reaches: `[[functions]]`, and modules that are only hooks. */
export function ownFunctions(agent: Pick<Agent, 'functions' | 'hooks'>): OwnFunction[] {
  const functions = agent.functions.map(({ name, description, target: { source, seconds } }, index) => ({
    name,
    description,
    source,
    seconds,
    path: ['functions', index, 'file'],
  }));
  const hooks = hooksOf(agent).flatMap(({ function: name, name: hook, source, seconds }, index) =>
    functions.some((one) => one.name === name)
      ? []
      : [{ name, description: `Hook ${name}`, hook, source, seconds, path: ['hooks', index, 'file'] }],
  );
  return [...functions, ...hooks];
}
