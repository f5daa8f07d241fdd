import * as v from 'valibot';
import { serversSchema } from '../../core/agent-schema/server-schema.ts';
import { SECRET_NAME } from '../../core/records/secret-name.ts';
import type { ServerTable } from './draft.ts';
import type { Keys, Note } from './keys.ts';
import { toServerName } from './names.ts';

/** The ways in which one format's servers of tools differ from another's. */
export interface ServerDialect {
  /** The milliseconds of `timeout` that are one second; absent: it is no time for a call. */
  timeout?: number;
}

/** A server of tools, in the terms of Cadre. */
export interface ReadServer {
  /** Its name in its own format. */
  written: string;
  table: ServerTable;
  notes: Note[];
}

/**
 * Reads one server: all formats write them alike.
 * @returns only notes for a server that is switched off, or that Cadre cannot use
 */
export function readServer(
  written: string,
  keys: Keys,
  { timeout: unit }: ServerDialect = {},
): ReadServer | { notes: Note[] } {
  const notes: Note[] = [];
  const left = (why: string) => {
    keys.takeAll();
    return { notes: [keys.note(`server left out, ${why}: ${written}`)] };
  };
  if (keys.flag('enabled') === false || keys.flag('disabled') === true) return left('it is switched off');
  const name = toServerName(written) || 'server';
  const secrets = new Secrets(name, keys, notes);

  const url = keys.textOf('httpUrl', 'url', 'serverUrl') ?? '';
  const transport = keys.textOf('type', 'transport');
  if (transport === 'sse' || (transport === undefined && /\/sse\/?$/.test(url))) {
    return left('it speaks SSE, Cadre only Streamable HTTP');
  }
  if (UNFILLED.test(url)) return left('variables of an address are not filled in');
  const [command = '', ...first] = keys.list('command') ?? [];
  const args = [...first, ...(keys.list('args') ?? [])];
  if (args.some((arg) => UNFILLED.test(arg))) {
    notes.push(
      keys.note(`no variable is filled in here, write the value or pass it in env: ${written}.args`, 'args'),
    );
  }
  const bearer = keys.text('bearer_token_env_var');
  const headers = {
    ...secrets.fill('headers', 'http_headers'),
    ...secrets.named('env_http_headers'),
    ...(bearer !== undefined && { Authorization: `Bearer \${${bearer}}` }),
  };
  const env = { ...secrets.fill('env', 'environment'), ...secrets.passedOn('env_vars') };
  const cwd = keys.text('cwd');
  const wanted = keys.list('tools') ?? keys.list('includeTools') ?? keys.list('enabled_tools') ?? [];
  const lists = ['tools', 'includeTools', 'enabled_tools'];
  if (wanted.length === 0 && lists.some((list) => keys.values[list] !== undefined)) {
    return left('none of its tools is wanted');
  }
  const secret = secretParameter(url) ?? secretArgument(args);
  if (secret !== undefined) return left(`${secret} looks like a secret, and secrets are for headers and env`);
  const unwanted = keys.list('excludeTools') ?? keys.list('disabled_tools') ?? [];
  const milliseconds = unit === undefined ? undefined : keys.number('timeout');
  const seconds = keys.number('tool_timeout_sec') ?? (milliseconds && milliseconds / (unit ?? 1));

  const table: ServerTable = {
    name,
    ...(url === '' ? { command } : { url }),
    ...(url !== '' && Object.keys(headers).length > 0 && { headers }),
    ...(url === '' && args.length > 0 && { args }),
    ...(url === '' && Object.keys(env).length > 0 && { env }),
    ...(url === '' && cwd !== undefined && { cwd }),
    ...(wanted.length > 0 && !wanted.includes('*') && { tools: wanted }),
    ...(unwanted.length > 0 && { disallowed_tools: unwanted }),
    ...(seconds !== undefined && seconds > 0 && { timeout: Math.min(840, Math.ceil(seconds)) }),
    // Elsewhere an agent starts without a server that does not answer.
    ...(keys.flag('required') !== true && { required: false }),
  };
  const expression = /\$\{\{.*?\}\}/.exec(JSON.stringify(table))?.[0];
  if (expression !== undefined) return left(`nothing here knows what ${expression} is`);
  const [fault] = v.safeParse(serversSchema, [table]).issues ?? [];
  if (fault !== undefined) {
    const key = fault.path?.[1]?.key;
    return left(fault.message.replaceAll('{key}', typeof key === 'string' ? key : 'it'));
  }
  return { written, table, notes };
}

/** The name of a query's parameter whose value is written out and looks like a secret. */
function secretParameter(url: string): string | undefined {
  const query = URL.canParse(url) ? [...new URL(url).searchParams] : [];
  return query.find(([name, value]) => SECRET_NAME.test(name) && value !== '' && !value.includes('$'))?.[0];
}

/** The argument that looks like a secret: `--token=…`, `--api-key …`, `Authorization: …`. */
function secretArgument(args: readonly string[]): string | undefined {
  return args
    .find((arg, index) => {
      const [, option, separator, written = ''] = /^-*([\w-]+)(=|:\s*|$)(.*)$/s.exec(arg) ?? [];
      const value = separator === '' ? (args[index + 1] ?? '') : written;
      const isOption = arg.startsWith('-') || separator?.startsWith(':');
      return isOption && SECRET_NAME.test(option ?? '') && /^[^-$]/.test(value) && !value.includes('$');
    })
    ?.replace(/[=:].*$/s, '');
}

/** Reads a table of servers by their names. */
export function readServers(
  keys: Keys | undefined,
  dialect: ServerDialect,
  notes: Note[],
): Map<string, ReadServer> {
  const servers = new Map<string, ReadServer>();
  for (const name of keys?.names ?? []) {
    const inside = keys?.table(name);
    if (inside === undefined) continue;
    const server = readServer(name, inside, dialect);
    notes.push(...server.notes);
    if ('table' in server) servers.set(name, server);
  }
  return servers;
}

/**
 * The server with some of its tools only.
 * @param tools by its own names; "all" leaves it as it is
 */
export function withTools({ table }: ReadServer, tools: 'all' | readonly string[]): ServerTable {
  if (tools === 'all') return table;
  const offered = table.tools ?? [];
  const wanted = offered.length === 0 ? tools : tools.filter((tool) => offered.includes(tool));
  return { ...table, tools: [...new Set(wanted)] };
}

/**
 * A variable in the ways in which it is written: ${X}, ${X:-y}, $X, ${{ secrets.X }}, ${env:X}, ${input:x}, {env:X}.
 */
const VARIABLE =
  /\$\{\{\s*(?:secrets|vars|env)\.(\w+)\s*\}\}|\$\{(?:env:|input:)?([\w-]+)(?::-[^}]*)?\}|\{env:(\w+)\}|\$([A-Za-z_]\w*)/g;

/** A variable where none is filled in: in an address, or an argument. */
const UNFILLED = /\$\{?\w|\{env:/;

/** The name of a secret of Copilot, which it fills in wherever a value is nothing else. */
const COPILOT_SECRET = /^COPILOT_MCP_\w+$/;

/** Headers and variables, whose secrets Cadre keeps elsewhere. */
class Secrets {
  readonly #server: string;
  readonly #keys: Keys;
  readonly #notes: Note[];

  constructor(server: string, keys: Keys, notes: Note[]) {
    this.#server = server;
    this.#keys = keys;
    this.#notes = notes;
  }

  fill(...tables: string[]): Record<string, string> {
    const filled: Record<string, string> = {};
    for (const table of tables) {
      const inside = this.#keys.table(table);
      for (const name of inside?.names ?? []) {
        const value = inside?.take(name);
        if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
        filled[name] = this.#checked(name, String(value), table, inside?.note('', name));
      }
    }
    return filled;
  }

  /** Headers whose values are the names of variables. */
  named(table: string): Record<string, string> {
    const inside = this.#keys.table(table);
    return Object.fromEntries(
      (inside?.names ?? []).flatMap((name) => {
        const variable = inside?.text(name);
        return variable === undefined ? [] : [[name, `\${${variable}}`]];
      }),
    );
  }

  /** Variables that the command gets from the environment. */
  passedOn(list: string): Record<string, string> {
    return Object.fromEntries((this.#keys.list(list) ?? []).map((name) => [name, `\${${name}}`]));
  }

  /** No value that the schema refuses: variables that look like secrets, and those of models and of AWS. */
  #checked(name: string, written: string, table: string, place: Note | undefined): string {
    const named = written.replace(COPILOT_SECRET, (secret) => `\${${secret}}`);
    const value = named.replaceAll(VARIABLE, (_, ...names: unknown[]) => {
      const variable = names.slice(0, 4).find((each) => typeof each === 'string') ?? '';
      return `\${${variable.replaceAll(/\W/g, '_')}}`;
    });
    const isHeader = /header/.test(table);
    const reach = isHeader
      ? { url: 'https://localhost', headers: { [name]: value } }
      : { command: 'x', env: { [name]: value } };
    if (v.is(serversSchema, [{ name: this.#server, ...reach }])) return value;
    const variable = `${this.#server}_${name}`
      .toUpperCase()
      .replaceAll(/\W/g, '_')
      .replace(/^(?=\d)/, '_');
    const scheme = isHeader ? (/^(Bearer|Basic|Token|ApiKey) /i.exec(value)?.[0] ?? '') : '';
    if (place !== undefined) {
      this.#notes.push({
        ...place,
        text: `secret left out, keep it in the environment as ${variable}: ${name}`,
      });
    }
    return `${scheme}\${${variable}}`;
  }
}
