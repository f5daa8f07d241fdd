import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { AgentError, ConfigError } from '../../errors.ts';
import type { Model } from '../../core/model/model.ts';
import type { ScriptFile } from '../../places/testing/scripted/script.ts';
import { createScriptedModel } from '../../places/testing/scripted/scripted.ts';

/** The file in which scripts travel with a deployed function that may play them. */
export const PACKED_SCRIPTS = 'scripts.json';

const PackedScripts = v.record(v.string(), v.unknown());

/** @param scripts by the names that models have after `scripted/` */
export function packScripts(scripts: Readonly<Record<string, ScriptFile>>): string {
  return JSON.stringify(scripts);
}

/**
 * The model that plays the scripts that were packed into a folder, by their names, and no other file.
 * @param folder absolute
 * @throws {AgentError} if none were packed
 */
export async function openPackedScripts(folder: string): Promise<Model> {
  const text = await readFile(join(folder, PACKED_SCRIPTS), 'utf8').catch((thrown: unknown) => {
    throw new AgentError('provider "scripted" plays local files and is not deployed: run the agent locally', {
      cause: thrown,
    });
  });
  const scripts = new Map(Object.entries(v.parse(PackedScripts, JSON.parse(text))));
  return createScriptedModel(async (name) => {
    const script = scripts.get(name);
    if (script === undefined) throw new ConfigError('only the scripts of cadre verify are deployed');
    return JSON.stringify(script);
  });
}
