import type { Context } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { carryOutCall, type CallPorts } from '../src/core/turn/call.ts';
import { moduleFunctionName, moduleFunctionPart } from '../src/places/aws/deployment.ts';
import { ENVIRONMENT, required, SANDBOX } from '../src/places/aws/variables.ts';
import { functionRunLog } from '../src/places/aws/run-log.ts';
import { fetchUrl } from '../src/tools/reach/fetch-later.ts';
import { createWebSearch } from '../src/places/web-search.ts';
import { WEB_SEARCH_PROVIDERS, type WebSearch } from '../src/core/tool-contracts/web-search.ts';
import { createPrices } from '../src/core/spending/prices.ts';
import { functionEmbeddings } from '../src/places/aws/cloud-embeddings.ts';
import { noticed } from '../src/places/follow/notices.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { serverSecrets } from '../src/places/aws/environment-secrets.ts';
import { functionServers } from '../src/places/aws/cloud-servers.ts';
import type { CallFunction, InvokeFunction } from '../src/core/tool-contracts/tool.ts';
import { functionWorkspaces } from '../src/places/aws/cloud-workspace.ts';
import { openSkills } from '../src/places/local/skill-folders.ts';
import { ownMemories } from '../src/places/own-memories.ts';
import { loadOwnTools } from '../src/tools/load-own-tools.ts';
import { defined } from '../src/defined.ts';

/** Time to keep the result of a call, before Lambda ends the function without a word. */
const MARGIN_MS = 5_000;

const WebSearchJson = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    provider: v.picklist(WEB_SEARCH_PROVIDERS),
    apiKey: v.optional(v.string()),
    url: v.optional(v.string()),
  }),
);

const { runs, memories, vectors, lasting } = functionStore();
const { store, live: noticing } = noticed(runs, functionRunLog());
/** Absent where no agent runs commands. */
const sandbox = await functionSandbox();
const memory = ownMemories({
  memories,
  vectors,
  openEmbeddings: functionEmbeddings(),
  prices: createPrices(),
});
const openWorkspace = functionWorkspaces();
const servers = functionServers(lasting);
const webSearch = functionWebSearch();
const environment = required(ENVIRONMENT.name);
/**
 * The ARNs of functions that the stack was given, by the names that agents have for them, and the versions of those that
 * are made of modules.
 */
const given = new Map(
  Object.entries(
    v.parse(
      v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())),
      process.env[ENVIRONMENT.functions] || '{}',
    ),
  ),
);
/** Skills lie beside this function as they lie beside the agents. */
const here = () => Promise.resolve(import.meta.dirname);
/** As the environment is set up; its settings were checked when it was synthesised. */
function functionWebSearch(): { webSearch?: WebSearch } {
  const json = process.env[ENVIRONMENT.webSearch];
  const webSearch = json ? createWebSearch(v.parse(WebSearchJson, json), serverSecrets()) : 'model';
  return webSearch === 'model' ? {} : { webSearch };
}

async function functionSandbox() {
  const json = process.env[SANDBOX];
  if (json === undefined) return undefined;
  const { openFunctionSandbox } = await import('../src/places/aws/sandbox/function-sandbox.ts');
  return openFunctionSandbox(json, { store, live: noticing, now: Date.now });
}

let invoke: InvokeFunction | undefined;

/** Calls a function of the user's own; that of a module goes by the version that was deployed with this function. */
const callFunction: CallFunction = async (call) => {
  const { name, source } = call;
  invoke ??= (await import('../src/places/aws/lambda-functions.ts')).lambdaFunctions();
  if ('file' in source) {
    const module = moduleFunctionName(environment, name);
    const version = given.get(moduleFunctionPart(name));
    return invoke(version === undefined ? module : `${module}:${version}`, call);
  }
  return invoke(given.get(source.function) ?? source.function, call);
};

const ports: Omit<CallPorts, 'invocation'> = {
  store,
  live: sandbox?.live ?? noticing,
  tools: loadOwnTools,
  now: Date.now,
  // It is unknown: the holder of a mark has until the end that it wrote into it.
  mayBeAtWork: () => true,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  reach: (_, opened, at) => ({
    workspace: openWorkspace(opened.workdir ?? '', opened),
    fetchUrl,
    ...webSearch,
    ...memory(opened, at),
    callFunction,
    servers,
    ...defined({ commands: sandbox?.commandsOf(opened) }),
    // The function that commands run in has them where this one has.
    ...(opened.skills !== undefined && { skills: openSkills(opened, here) }),
  }),
};

/** By the functions that end runs. */
const GiveUp = v.object({ giveUp: v.string() });

/** Carries out one call of one turn, or cancels what a run that has ended has had a remote agent do. */
export async function handler(event: unknown, context: Context) {
  if (v.is(GiveUp, event)) {
    const { giveUpRemote } = await import('../src/core/lifecycle/give-up-remote.ts');
    return giveUpRemote(event.giveUp, { store, servers });
  }
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS);
  try {
    return await carryOutCall(event, { ...ports, invocation: () => context.awsRequestId }, signal);
  } finally {
    await sandbox?.live.close();
  }
}
