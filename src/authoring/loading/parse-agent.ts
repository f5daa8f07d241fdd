import { checkToml } from '../toml/check-toml.ts';
import { locate, type TomlFile } from '../toml/locate.ts';
import { decodeToml, parseToml, TomlSyntaxError, type TomlTable } from '../../parse-toml.ts';
import { ConfigError } from '../../errors.ts';
import { agentSchema, type WrittenAgent } from '../../core/agent-schema/agent.ts';
import { AGENT_KEYS } from './agent-keys.ts';
import { AgentFileError, type LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { parseSchemaFile, type ReadBeside } from './schema-file.ts';

/** An agent as it is written. */
export interface AgentFile extends TomlFile {
  /** See `LoadedAgent`. */
  root: string;
  /**
   * Whether a link has led out of the root to it: it may be no agent, and what it says is not for messages. Asked only
   * where it has a fault, since files of agents are read for each run.
   */
  isForeign?: () => boolean;
}

/**
 * Reads an agent out of its file.
 * @param name the file's name without `.toml`
 * @param read reads the schema that it may name
 * @throws {AgentFileError} with the place of the first fault
 */
export async function parseAgent(
  name: string,
  file: AgentFile,
  read: ReadBeside = cannotRead,
): Promise<LoadedAgent> {
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(
    agentSchema,
    parse(name, file),
    AGENT_KEYS,
  );
  const oddKeys = await locate(unknownKeys, file);
  const [typeFault, ...typeFaultsBelow] = await locate(typeFaults, file);
  if (typeFault !== undefined) {
    const more = [...typeFaultsBelow, ...(await locate(ruleFaults, file)), ...oddKeys];
    throw new AgentFileError(`failed to parse agent config "${name}": ${typeFault}`, file.path, { more });
  }
  if (ruleFaults.length > 0) {
    // The first in the order of the rules; `locate` puts several in that of the file.
    const [fault = file.path] = await locate(ruleFaults.slice(0, 1), file);
    const more = await locate(ruleFaults.slice(1), file);
    // A key that is missing is often there, misspelled.
    const odd = oddKeys.length === 0 ? '' : ` (${oddKeys.slice(0, 3).join('; ')})`;
    throw new AgentFileError(`${fault}${odd}`, file.path, { more });
  }

  if (output === undefined) {
    const [fault = `${file.path}: invalid agent config`, ...more] = oddKeys;
    throw new AgentFileError(fault, file.path, { more });
  }

  const warnings: string[] = [];
  if (output.name !== name) {
    // Allowed, as a copied file is a working agent; reported, because the name inside is not the one to call it by.
    const reason = `name ${JSON.stringify(output.name)} is not the name of the file, the agent runs as "${name}"`;
    warnings.push(...(await locate([{ path: ['name'], reason }], file)));
  }
  return {
    ...(await withSchema(output, file, read)),
    warnings,
    root: file.root,
    file,
  };
}

async function cannotRead(_root: string, file: string): Promise<never> {
  throw new ConfigError(`failed to read ${file}: there are no files here`);
}

/** The agent with its schema, wherever that is. */
async function withSchema(
  { output, ...agent }: WrittenAgent,
  file: AgentFile,
  read: ReadBeside,
): Promise<Pick<LoadedAgent, 'agent' | 'schemaFile'>> {
  if (output === undefined) return { agent };
  if (typeof output !== 'string') return { agent: { ...agent, output } };
  try {
    const schema = await parseSchemaFile(output, await read(file.root, output));
    return { agent: { ...agent, output: schema }, schemaFile: output };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [fault = error.message] = await locate(
      [{ path: ['output', 'schema'], reason: error.message }],
      file,
    );
    throw new AgentFileError(fault, file.path, { cause: error });
  }
}

function parse(name: string, { path, bytes, isForeign }: AgentFile): TomlTable {
  try {
    return parseToml(decodeToml(bytes));
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error.position;
    const near = error.near === '' || isForeign?.() ? '' : `, at ${JSON.stringify(error.near)}`;
    throw new AgentFileError(
      `failed to parse agent config "${name}": ${path}:${line}:${column}: ${error.message}${near}`,
      path,
      { cause: error },
    );
  }
}
