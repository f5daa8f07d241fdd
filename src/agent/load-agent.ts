import * as v from 'valibot';
import { ConfigError, messageOf } from '../errors.ts';
import { checkToml, type Finding } from '../toml/check-toml.ts';
import { decodeToml } from '../toml/decode-toml.ts';
import { type TomlDocument, TomlSyntaxError } from '../toml/toml-document.ts';
import { type Agent, fromAgentFile } from './agent.ts';
import { assertName } from './agent-name.ts';
import { agentSchema } from './agent-schema.ts';
import type { AgentFile, AgentSource } from './agent-source.ts';

export interface LoadedAgent {
  agent: Agent;
  /** What is odd about the file but stops nobody: `file:line:column: …`. */
  warnings: string[];
  /** The file's path, as messages show it. */
  path: string;
  /** The absolute path of the folder above the agents folder, where its skill is looked up. */
  root: string;
}

/** Every key that there is: what a file with little more than the required keys comes to. */
const knownKeys = v.parse(agentSchema, {
  name: 'name',
  model: 'model',
  params: { reasoning_effort: 'none', api: 'chat' },
  schedule: { rate: '1 day' },
});

/** What each source gave last, by name. */
const loadedBefore = new WeakMap<AgentSource, Map<string, Loaded>>();

interface Loaded {
  bytes: Uint8Array;
  agent: LoadedAgent;
}

/**
 * Loads and checks an agent; a file that has not changed since the last time is not checked again. Whether its
 * sub-agents, files, skill and model exist is not looked at before they are used.
 * @param name the file's name without `.toml`
 * @throws {ConfigError} if there is no such agent or its file is wrong; faults of the file say `file:line:column`
 */
export async function loadAgent(name: string, source: AgentSource): Promise<LoadedAgent> {
  assertName('agent', name);
  const file = await readAgentFile(name, source);
  const known = loadedBefore.get(source) ?? new Map<string, Loaded>();
  loadedBefore.set(source, known);
  const before = known.get(name);
  if (before?.agent.path === file.path && Buffer.compare(before.bytes, file.bytes) === 0) return before.agent;
  const agent = check(name, file);
  known.set(name, { bytes: file.bytes, agent });
  return agent;
}

function check(name: string, file: AgentFile): LoadedAgent {
  const document = parse(name, file);
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(agentSchema, document, knownKeys);

  const inFile = ({ position, reason }: Finding) =>
    `${file.path}:${position.line}:${position.column}: ${reason}`;
  const [typeFault] = typeFaults;
  if (typeFault) throw new ConfigError(`failed to parse agent config "${name}": ${inFile(typeFault)}`);
  const [ruleFault] = ruleFaults;
  if (output === undefined) {
    // A key that is missing is often there, misspelled.
    const odd = unknownKeys.length === 0 ? '' : ` (${unknownKeys.slice(0, 3).map(inFile).join('; ')})`;
    throw new ConfigError(`${ruleFault ? inFile(ruleFault) : `${file.path}: invalid agent config`}${odd}`);
  }

  const warnings = unknownKeys.map(inFile);
  if (output.name !== name) {
    // Allowed, because a copied file is a working agent; told, because the name inside is not the one to call it by.
    const reason = `name ${JSON.stringify(output.name)} is not the name of the file, the agent runs as "${name}"`;
    warnings.push(inFile({ position: document.placeOf(['name']).value, reason }));
  }
  return { agent: fromAgentFile(output), warnings, path: file.path, root: file.root };
}

async function readAgentFile(name: string, source: AgentSource): Promise<AgentFile> {
  let file: AgentFile | undefined;
  try {
    file = await source.read(name);
  } catch (error) {
    throw new ConfigError(`failed to read agent config "${name}": ${messageOf(error)}`, { cause: error });
  }
  if (!file) throw new ConfigError(`agent config not found: ${name}`);
  return file;
}

function parse(name: string, file: AgentFile): TomlDocument {
  try {
    return decodeToml(file.bytes);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error.position;
    const near = error.near === '' ? '' : `, at ${JSON.stringify(error.near)}`;
    throw new ConfigError(
      `failed to parse agent config "${name}": ${file.path}:${line}:${column}: ${error.message}${near}`,
      {
        cause: error,
      },
    );
  }
}
