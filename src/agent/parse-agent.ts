import * as v from 'valibot';
import { checkToml, type Finding } from '../toml/check-toml.ts';
import { decodeToml } from '../toml/decode-toml.ts';
import { type TomlDocument, TomlSyntaxError } from '../toml/toml-document.ts';
import { fromAgentFile } from './agent.ts';
import { agentSchema } from './agent-schema.ts';
import { AgentFileError, type LoadedAgent } from './agent-source.ts';

/** An agent as it is written. */
export interface AgentFile {
  /** As messages show it. */
  path: string;
  /** See `LoadedAgent`. */
  root: string;
  bytes: Uint8Array;
}

/** Every key that there is: what a file with little more than the required keys comes to. */
const knownKeys = v.parse(agentSchema, {
  name: 'name',
  model: 'model',
  params: { reasoning_effort: 'none', api: 'chat' },
  schedule: { rate: '1 day' },
});

/**
 * Reads an agent out of its file.
 * @param name the file's name without `.toml`
 * @throws {AgentFileError} with the place of the first fault
 */
export function parseAgent(name: string, file: AgentFile): LoadedAgent {
  const document = parse(name, file);
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(agentSchema, document, knownKeys);

  const inFile = ({ position, reason }: Finding) =>
    `${file.path}:${position.line}:${position.column}: ${reason}`;
  const [typeFault] = typeFaults;
  if (typeFault) {
    throw new AgentFileError(`failed to parse agent config "${name}": ${inFile(typeFault)}`, file.path);
  }
  const [ruleFault] = ruleFaults;
  if (output === undefined) {
    // A key that is missing is often there, misspelled.
    const odd = unknownKeys.length === 0 ? '' : ` (${unknownKeys.slice(0, 3).map(inFile).join('; ')})`;
    const fault = ruleFault ? inFile(ruleFault) : `${file.path}: invalid agent config`;
    throw new AgentFileError(`${fault}${odd}`, file.path);
  }

  const warnings = unknownKeys.map(inFile);
  if (output.name !== name) {
    // Allowed, because a copied file is a working agent; told, because the name inside is not the one to call it by.
    const reason = `name ${JSON.stringify(output.name)} is not the name of the file, the agent runs as "${name}"`;
    warnings.push(inFile({ position: document.placeOf(['name']).value, reason }));
  }
  return { agent: fromAgentFile(output), warnings, root: file.root };
}

function parse(name: string, file: AgentFile): TomlDocument {
  try {
    return decodeToml(file.bytes);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error.position;
    const near = error.near === '' ? '' : `, at ${JSON.stringify(error.near)}`;
    throw new AgentFileError(
      `failed to parse agent config "${name}": ${file.path}:${line}:${column}: ${error.message}${near}`,
      file.path,
      { cause: error },
    );
  }
}
