import * as v from 'valibot';
import { notAList } from '../../../not-a-list.ts';
import { ConfigError } from '../../../errors.ts';
import { jsonFaultPosition } from '../../../json-fault.ts';

/**
 * A script: what the model says, turn by turn, in conversations that are told apart by what they begin with. JSON, or
 * TOML where the file's name ends in `.toml`:
 *
 *     [[conversations]]
 *     match = "What matters here?"        # the first user message contains this
 *     system = "You are a reviewer"       # the system prompt contains this
 *
 *     [[conversations.turns]]
 *     calls = [{ name = "call_agent", arguments = { agent = "finder", task = "{{prompt}}" } }]
 *
 *     [[conversations.turns]]
 *     expect = "three risks"              # what came back contains this, else the turn fails and shows what came
 *     text = "The finder says: {{results}}"
 */
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const turnSchema = v.pipe(
  notAList(
    v.strictObject({
      /** Text that the newest message, the user's or the results, must contain. */
      expect: v.optional(v.string()),
      /** How long the answer takes, in milliseconds. */
      delay_ms: v.optional(count, 0),
      text: v.optional(v.string(), ''),
      calls: v.optional(
        v.array(
          v.strictObject({
            name: v.pipe(v.string(), v.nonEmpty()),
            arguments: v.optional(notAList(v.record(v.string(), v.unknown())), {}),
          }),
        ),
        [],
      ),
      /** The model's API fails instead of answering; `retry_after` in seconds. */
      error: v.optional(
        v.strictObject({
          category: v.picklist(['auth', 'bad_request', 'rate_limit', 'overloaded', 'timeout', 'server']),
          message: v.string(),
          retry_after: v.optional(v.pipe(v.number(), v.minValue(0))),
        }),
      ),
      stop_reason: v.optional(v.picklist(['end', 'tool_calls', 'max_tokens', 'refusal', 'other'])),
      /** Absent: estimated from the lengths of the texts. */
      usage: v.optional(
        v.strictObject({
          input_tokens: count,
          output_tokens: count,
          cache_read_tokens: v.optional(count),
          cache_write_tokens: v.optional(count),
        }),
      ),
    }),
  ),
  v.check(
    (turn) => turn.error === undefined || (turn.text === '' && turn.calls.length === 0),
    'a turn is either an error or an answer of text and calls',
  ),
);

const scriptSchema = v.strictObject({
  conversations: v.pipe(
    v.array(
      v.strictObject({
        match: v.optional(v.string(), ''),
        system: v.optional(v.string(), ''),
        turns: v.pipe(v.array(turnSchema), v.nonEmpty('expected at least one turn')),
      }),
    ),
    v.nonEmpty('expected at least one conversation'),
  ),
});

/** A script as it is written. */
export type ScriptFile = v.InferInput<typeof scriptSchema>;
export type ParsedScript = v.InferOutput<typeof scriptSchema>;
export type ScriptedTurn = v.InferOutput<typeof turnSchema>;

/**
 * Where a value of a script is: `line:column`.
 * @param steps keys of objects, indexes of lists; of a value that is missing, the place is that of what lacks it
 */
export type PlaceInScript = (
  path: string,
  text: string,
  steps: readonly (number | string)[],
) => Promise<string>;

/** @throws {ConfigError} that names the file and the place in it */
export async function parseScript(
  path: string,
  text: string,
  placeOf?: PlaceInScript,
): Promise<ParsedScript> {
  const parsed = v.safeParse(scriptSchema, await parseFormat(path, text), { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const steps = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  const place = placeOf === undefined ? '' : `${await placeOf(path, text, steps)}:`;
  throw new ConfigError(`${path}:${place} ${toDotted(steps)}${toReason(issue)}`);
}

async function parseFormat(path: string, text: string): Promise<unknown> {
  return path.endsWith('.toml') ? parseTomlScript(path, text) : parseJsonScript(path, text);
}

/** The parser is loaded where it is used: it takes longer to load than everything else about models. */
async function parseTomlScript(path: string, text: string): Promise<unknown> {
  const { parseToml, TomlSyntaxError } = await import('../../../parse-toml.ts');
  try {
    return parseToml(text);
  } catch (thrown) {
    if (!(thrown instanceof TomlSyntaxError)) throw thrown;
    const { line, column } = thrown.position;
    throw new ConfigError(`${path}:${line}:${column}: ${thrown.message}`);
  }
}

function parseJsonScript(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The words of JSON.parse quote the file, which may be no script but a secret.
    throw new ConfigError(`${path}:${jsonFaultPosition(text)}: it is not valid JSON`);
  }
}

/** `conversations[0].turns[2].text: ` */
function toDotted(steps: readonly (number | string)[]): string {
  const dotted = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return dotted === '' ? '' : `${dotted.slice(1)}: `;
}

function toReason({ expected, received, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'unknown key';
  if (received === 'undefined') return 'missing';
  // Its input is not shown, for the same reason.
  return (message.charAt(0).toLowerCase() + message.slice(1)).replace(/ but received .*$/s, '');
}
