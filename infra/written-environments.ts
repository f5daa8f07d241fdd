import * as v from 'valibot';
import { assertEnvironmentName } from '../src/places/aws/deployment.ts';
import { ConfigError } from '../src/errors.ts';
import { parseSettings, WrittenEnvironment } from './environment-settings.ts';
import type { CadreStackProps } from './cadre-stack.ts';

/**
 * The environment that was asked for (`-c env=dev`).
 * @param environments `environments` of cdk.json
 * @throws {ConfigError}
 */
export function environmentOf(name: unknown, environments: unknown): CadreStackProps {
  const known = v.parse(v.record(v.string(), v.unknown()), environments);
  const names = Object.keys(known).join(', ');
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`no environment is chosen: add -c env=<name>, one of ${names}`);
  }
  if (!Object.hasOwn(known, name)) {
    throw new ConfigError(`unknown environment "${name}": cdk.json knows ${names}`);
  }
  assertEnvironmentName(name);
  const written = parseSettings(WrittenEnvironment, known[name], `cdk.json, environments.${name}`);
  const { retainData, alarmEmail, alarms } = written;
  if (retainData && alarmEmail === '' && alarms === undefined) {
    throw new ConfigError(
      `cdk.json, environments.${name}: it keeps its data and tells nobody when it fails: set "alarmEmail" to an address, or say that this is meant with "alarms": "none"`,
    );
  }
  return { environment: name, ...written };
}

/**
 * The agents that are not deployed: those with tools that need a machine.
 * @param written `localAgents` of cdk.json
 * @throws {ConfigError} if it is no list of names
 */
export function localAgentsOf(written: unknown): string[] {
  const names = v.safeParse(v.optional(v.array(v.string()), []), written);
  if (names.success) return names.output;
  throw new ConfigError('localAgents in cdk.json must be a list of the names of agents, such as ["coder"]');
}
