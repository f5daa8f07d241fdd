import type { KeptDecision } from '../../core/records/hook.ts';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import type { CallResult } from '../../core/records/call.ts';
import type { Answer } from '../../core/records/question.ts';
import { isRunId } from '../../core/records/run-id.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { RunRequest } from '../../core/records/request.ts';
import type { Run } from '../../core/records/run.ts';
import type { ServerUrl } from '../../core/records/tool-server.ts';
import type { Turn } from '../../core/records/turn.ts';
import type { RecordedRun, Recording } from './recording.ts';
import { createRedaction, type Secret } from './secrets.ts';

/** Recordings as files: versioned JSON that needs no store, no key and no account to be replayed. */

/** Raised with every change that an earlier release cannot read. */
const VERSION = 1;

/**
 * A recording as the text of a file. Secrets are replaced by their names; the data that servers of tools are sent, the
 * place of a run and its owner are left out.
 */
export function toFixture(recording: Recording, secrets: readonly Secret[]): string {
  const redact = createRedaction(secrets);
  const redacted = (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    // The only keys that a model writes.
    return key === 'arguments' ? withKeys(value, redact) : value;
  };
  const fixture = { recording: VERSION, runs: recording.runs.map(withoutSurroundings) };
  return `${JSON.stringify(fixture, redacted, 2)}\n`;
}

function withKeys(value: unknown, redact: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withKeys(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), withKeys(item, redact)]),
  );
}

function withoutSurroundings({ run, request, opened, turns, answers, ...rest }: RecordedRun): RecordedRun {
  const anonymous = Object.entries(answers).map(([call, { by: _by, ...answer }]): [string, Answer] => [
    call,
    answer,
  ]);
  return {
    run: { ...withoutOwner(run), execution: '' },
    ...(request !== undefined && { request: withoutOwner(request) }),
    ...(opened !== undefined && { opened: withoutServers(opened) }),
    turns,
    answers: Object.fromEntries<Answer>(anonymous),
    ...rest,
  };
}

function withoutOwner<T extends { owner?: string }>({ owner: _owner, ...rest }: T): Omit<T, 'owner'> {
  return rest;
}

/** Of remote agents there is the name: the conversations that ask them are opened anew from it. */
function withoutServers({ servers: _servers, remotes = {}, ...rest }: Opened): Opened {
  const named = Object.entries(remotes).map(
    ([name, remote]) => [name, { ...remote, reach: NOWHERE }] as const,
  );
  return { ...rest, ...(named.length > 0 && { remotes: Object.fromEntries(named) }) };
}

const NOWHERE: ServerUrl = { kind: 'url', protocol: 'a2a', url: '', headers: {} };

/** The least that a record must have to be replayed; the rest of it is as it was written. */
function record<T>(what: string, essentials: v.GenericSchema) {
  return v.custom<T>((input) => v.is(essentials, input), `is no ${what}`);
}

const time = v.pipe(v.string(), v.isoTimestamp());
const call = v.looseObject({
  id: v.string(),
  name: v.string(),
  arguments: v.record(v.string(), v.unknown()),
});

const RecordedRunSchema = v.object({
  run: record<Run>(
    'run',
    v.looseObject({
      id: v.pipe(v.string(), v.check(isRunId)),
      root: v.string(),
      path: v.string(),
      agent: v.string(),
      depth: v.number(),
      status: v.string(),
      startedAt: time,
      holder: v.number(),
      execution: v.string(),
      timeout: v.number(),
      usage: v.looseObject({ turns: v.number() }),
    }),
  ),
  request: v.exactOptional(record<RunRequest>('request', v.looseObject({ agent: v.string() }))),
  opened: v.exactOptional(
    record<Opened>(
      'conversation',
      v.looseObject({
        agent: v.string(),
        model: v.string(),
        system: v.string(),
        message: v.string(),
        maxTokens: v.number(),
        tools: v.array(v.looseObject({ name: v.string() })),
        delegation: v.looseObject({ depth: v.number() }),
      }),
    ),
  ),
  turns: v.array(
    record<Turn>(
      'turn',
      v.looseObject({
        number: v.number(),
        received: v.array(v.looseObject({ role: v.picklist(['user', 'tool']) })),
        answer: v.looseObject({ text: v.string(), calls: v.array(call), usage: v.looseObject({}) }),
        plans: v.array(v.looseObject({ kind: v.string() })),
        at: time,
        latencyMs: v.number(),
      }),
    ),
  ),
  results: v.record(
    v.string(),
    record<CallResult>('result', v.looseObject({ text: v.string(), isError: v.boolean() })),
  ),
  answers: v.record(v.string(), record<Answer>('answer', v.looseObject({ at: v.string() }))),
  decisions: v.exactOptional(
    v.array(record<KeptDecision>('decision', v.looseObject({ turn: v.number(), call: v.number() }))),
  ),
  ofPeople: v.array(v.string()),
});

const Fixture = v.object({ recording: v.literal(VERSION), runs: v.array(RecordedRunSchema) });
const Versioned = v.object({ recording: v.number() });

/**
 * Reads the text of a file.
 * @param path for messages
 * @throws {ConfigError} if it is no recording, or one of another format
 */
export function fromFixture(text: string, path: string): Recording {
  const json = parsed(text, path);
  const versioned = v.safeParse(Versioned, json);
  if (!versioned.success)
    throw new ConfigError(`${path} is not a recording; write one with: cadre record <run> <file>`);
  const { recording: version } = versioned.output;
  if (version !== VERSION) {
    const knob = version > VERSION ? 'update cadre' : 'record the run again';
    throw new ConfigError(
      `${path} is a recording of format ${version}, and this version of cadre reads format ${VERSION}; ${knob}`,
    );
  }
  const fixture = v.safeParse(Fixture, json);
  if (fixture.success) return { runs: fixture.output.runs };
  const [issue] = fixture.issues;
  throw new ConfigError(
    `${path} is damaged: ${v.getDotPath(issue) ?? 'it'}: ${issue.message}; record the run again`,
  );
}

function parsed(text: string, path: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ConfigError(`${path} is not JSON`, { cause });
  }
}
