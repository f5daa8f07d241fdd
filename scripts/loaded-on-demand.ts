import { build, type BuildOptions } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundleOptions, functionOptions, localOptions, root } from './bundle-options.mjs';

// The one list of what is loaded only once it is needed, so that commands and functions start faster. A test holds that
// nothing else is imported late, another that the figures are about right; `npx tsx scripts/loaded-on-demand.ts` prints
// them as they are.

/**
 * Parts of the core, of the tools and of the interpreter: what needs them, and how many kilobytes each adds to what is
 * loaded without it: in the first bundle below that has it, minified, without the AWS SDK.
 */
export const PARTS: Readonly<Record<string, readonly [kilobytes: number, when: string]>> = {
  'src/core/attachments/keep.ts': [2.4, 'something is attached'],
  'src/core/attachments/pdf-text.ts': [4.2, 'a model is not sent a PDF as it is'],
  'src/core/attachments/showing.ts': [3.9, 'a conversation has attachments'],
  'src/providers/load-files.ts': [3.3, 'a conversation with attachments is sent'],
  'src/core/agent-schema/address-rule.ts': [0.7, 'rules have a pattern for addresses'],
  'src/core/agent-schema/command-rule.ts': [1.5, 'rules have a pattern for commands'],
  'src/core/agent-schema/context-files.ts': [32, 'an agent starts with files'],
  'src/core/agent-schema/path-rule.ts': [3.0, 'rules have a pattern for paths'],
  'src/core/lifecycle/await-batch.ts': [9.1, 'a turn waits for a batch'],
  'src/core/lifecycle/check-changes.ts': [69, 'a person approves a call with other arguments'],
  'src/core/records/timeline.ts': [2.2, 'a run ends'],
  'src/core/records/with-model.ts': [0.2, 'a run goes on with another model'],
  'src/core/reports/open-calls.ts': [1.5, 'a run at work is shown'],
  'src/core/reports/shown-times.ts': [12, 'a run without an answer is shown'],
  'src/core/reports/tag-costs.ts': [14.5, 'costs are asked for by a tag'],
  'src/core/spending/allot.ts': [12.4, 'a tree under limits per day is short'],
  'src/core/spending/caps.ts': [8.5, 'a conversation has limits of its own'],
  'src/core/spending/charge.ts': [9.8, 'a tree has a budget, or a turn starts runs'],
  'src/core/spending/estimate.ts': [32, 'a tree has a budget'],
  'src/core/spending/refusal.ts': [7.5, 'a budget is spent'],
  'src/core/spending/reserve.ts': [10.8, 'a tree has a budget'],
  'src/core/spending/return-allotment.ts': [17.7, 'a tree under limits per day has ended'],
  'src/core/spending/shares.ts': [9.9, 'a tree has a budget, or as many runs as it may'],
  'src/core/spending/spending.ts': [7.4, 'a tree has a budget'],
  'src/core/steps/gate.ts': [2.0, 'a call needs approval'],
  'src/core/steps/ahead.ts': [1.5, 'an agent is started in the background'],
  'src/core/steps/arrived.ts': [1.2, 'what an agent waited for has come'],
  'src/core/tool-contracts/call-function.ts': [30, 'a function of the user is called'],
  'src/core/tool-contracts/provider-search.ts': [1.5, 'the web is searched by the provider of a model'],
  'src/core/tool-contracts/simplify-parameters.ts': [4.2, 'an agent has a schema for its answers'],
  'src/core/tool-contracts/skills-in-use.ts': [1.3, 'an agent lists skills'],
  'src/core/turn/batched-turn.ts': [10.5, 'an agent whose model is asked in batches takes a turn'],
  'src/core/turn/ends.ts': [3.1, 'an agent in the background has finished'],
  'src/core/steps/hooked.ts': [5.6, 'an agent with hooks has called'],
  'src/core/turn/hooked-question.ts': [10, 'a person is asked about a call of an agent with hooks'],
  'src/core/turn/ask-about-text.ts': [33, 'hooks are asked about the text of a turn'],
  'src/core/turn/hooked-call.ts': [35, 'hooks are asked about a call'],
  'src/core/turn/hooked-turn.ts': [9, 'an agent with hooks takes a turn'],
  'src/core/turn/make-room.ts': [3.4, 'a conversation is longer than its window'],
  'src/core/turn/overflow.ts': [0.7, 'the API of a model has failed'],
  'src/core/turn/pass-over.ts': [0.8, 'an agent has answered, and a later turn of it comes to nothing'],
  'src/core/turn/remember.ts': [1.2, 'an agent has a memory'],
  'src/core/turn/retry.ts': [0.9, 'the API of a model has failed, and may be asked again'],
  'src/core/turn/server-tools.ts': [2, 'an agent has servers of tools'],
  'src/core/turn/structured-answer.ts': [25, 'an answer has a schema'],
  'src/core/turn/summarise.ts': [8.9, 'the older part of a conversation is summarised'],
  'src/asl/expressions/evaluator.ts': [126, 'an expression is none of those that are computed directly'],
  'src/providers/anthropic/batches.ts': [23, 'a model of Anthropic is asked in batches'],
  'src/tools/agents/planned.ts': [4.1, 'an agent may ask its user, fork, or wait for others'],
  'src/tools/built-in.ts': [34, 'an agent has tools that a function carries out'],
  'src/tools/delegation/planned.ts': [9.9, 'an agent may derive sub-agents from itself'],
  'src/tools/files/find-files.ts': [12, 'a call of glob'],
  'src/tools/files/path-pattern.ts': [28, 'a call of glob'],
  'src/tools/files/search-lines.ts': [188, 'a call of grep'],
  'src/tools/reach/fetch-url.ts': [17.3, 'a URL is fetched'],
  'src/tools/reach/html-text.ts': [139, 'a page is fetched'],
};

/** Packages that are loaded late because of the time they take. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  '@aws-sdk/client-bedrock-runtime': 'a model of Bedrock is asked',
  'node:http': 'an address without TLS is fetched',
  'node:https': 'an address is fetched',
  'node:zlib': 'a page arrives compressed',
};

/** Where processes decide what they are: a file there may import late what only some of its callers need. */
export const DECIDING: Readonly<Record<string, string>> = {
  'functions/': 'what only some deployments need',
  'src/authoring/loading/': 'where files and schemas are read from, and the places of faults in them',
  'src/authoring/toml/': 'positions in a file that has faults',
  'src/doors/api/': 'the handlers of rare requests',
  'src/doors/cli/commands/': 'what a command needs with some of its options',
  'src/doors/cli/usage/': 'commands, each when it is called',
  'src/doors/console/': 'views of the page that need much',
  'src/doors/cli/': 'what draws on a terminal, and opens what runs are kept in',
  'src/doors/library/': 'where runs are carried out: here or in an account',
  'src/places/': 'the place that is asked for, and what carries runs there',
};

/** A file that imports a module only once it is needed. */
interface LateImport {
  from: string;
  module: string;
}

/** All late imports that there are. */
export function lateImports(): LateImport[] {
  const files = ['functions', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return files
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((from) => {
      const code = readFileSync(join(root, from), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      return [...code.matchAll(/\bimport\(\s*'([^']+)'/g)].map(([, name = '']) => ({
        from,
        module: name.startsWith('.') ? join(dirname(from), name) : name,
      }));
    });
}

/** The kilobytes that each part adds, by module. */
export async function measureParts(): Promise<Map<string, number>> {
  const bundles = await Promise.all([
    ...['turn', 'tool', 'open'].map((name) => bundled(functionOptions(name, 'out'), `functions/${name}.ts`)),
    // Each alone: what several add together says nothing about one of them.
    bundled({ ...localOptions, plugins: bundleOptions.plugins }, 'src/doors/cli/main.ts'),
  ]);
  return new Map(
    Object.keys(PARTS).map((module) => {
      const kilobytes = bundles.map((addedBy) => addedBy(module)).find((added) => added !== undefined);
      if (kilobytes === undefined) throw new Error(`no bundle loads ${module} late`);
      return [module, kilobytes];
    }),
  );
}

/** @returns how many kilobytes a module adds to what an entry loads at once; undefined where it has no such module */
async function bundled(
  options: BuildOptions & { external: string[] },
  entry: string,
): Promise<(module: string) => number | undefined> {
  const external = [...options.external, '@aws-sdk/*'];
  const { metafile } = await build({ ...options, external, sourcemap: false, write: false, metafile: true });
  const { outputs } = metafile;
  const chunkOf = (module: string) =>
    Object.keys(outputs).find((path) => outputs[path]?.entryPoint === module);
  const loadedWith = (chunk: string, loaded = new Set<string>()) => {
    const output = outputs[chunk];
    if (output === undefined || loaded.has(chunk)) return loaded;
    loaded.add(chunk);
    for (const { kind, path } of output.imports) if (kind === 'import-statement') loadedWith(path, loaded);
    return loaded;
  };
  const atOnce = loadedWith(chunkOf(entry) ?? '');
  return (module) => {
    const chunk = chunkOf(module);
    if (chunk === undefined) return undefined;
    const added = [...loadedWith(chunk)].filter((path) => !atOnce.has(path));
    return added.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0) / 1024;
  };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const measured = [...(await measureParts())].sort(([, one], [, other]) => other - one);
  for (const [module, kilobytes] of measured)
    console.log(`${kilobytes.toFixed(1).padStart(8)} KB  ${module}`);
}
