// The project's own rules for oxlint: which part may import which, that clients of the AWS SDK do not wait for ever, and
// that a suppression gives its reason.
import { readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import picomatch from 'picomatch';

const root = join(import.meta.dirname, '..');

/** The imports that the files of each wing may make beside their own wing and the basics, which lie in src/ itself. */
const wings = {
  doors: ['authoring', 'places', 'tools', 'core'],
  authoring: ['places', 'tools', 'core'],
  places: ['providers', 'tools', 'core', 'asl'],
  providers: ['core'],
  tools: ['core'],
  core: [],
  asl: [],
};

const adapters = [
  'src/asl/resources/lambda-endpoint.ts',
  'src/places/aws/**',
  'src/{authoring,doors}/*/cloud-*.ts',
];
const namesOfDeployments = [
  'src/{errors,known-keys,nearest}.ts',
  'src/{doors/api/routes,places/{notify/settings,store/{partitions,recorded-keys},telemetry/deployed-settings}}.ts',
  'src/core/{agent-schema/schedule/schedule,model/provider-settings,records/{run-id,secrets,tool-server},tool-contracts/web-search}.ts',
  'src/places/aws/{deployment,kept-grants,sandbox/{protocol,sandboxes-of},store/dynamodb/attributes,variables}.ts',
];
const lightInTheCloud =
  'src/places/aws/{aws-errors,console-link,deployment,failure-class,run-log,sandbox/{price,protocol,sandboxes-of},variables}.ts';
const checkedAgents = [
  'src/authoring/loading/{check-deployed-agent,folders/{agent-folders,name-pack,packed-agents,skill-file}}.ts',
  'src/authoring/skills/copy-skill.ts',
  'src/authoring/verify/{agents,packed-scripts}.ts',
  'src/core/agent-schema/{agent-name,agent-source,load-agent,own-functions}.ts',
  'src/places/local/workspace/{bundle-module,module-file}.ts',
];
const awsSdk = ['@aws-sdk/**', '@smithy/**'];
const protocolOfTools = ['src/tools/mcp/client/**', 'src/doors/api/mcp/**'];
const protocolOfAgents = ['src/doors/api/a2a/**', 'src/tools/a2a/**'];
const providers = readdirSync(join(root, 'src/providers'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => `src/providers/${entry.name}/**`);

/**
 * Files matching `files` (less `exempt`) import nothing that matches `forbidden` (less `allowed`). Paths start
 * at the project's root, packages go by their name. With `statically`, `await import()` is free. `import type` from what
 * matches `typesOf` is, too.
 */
const boundaries = [
  ...Object.entries(wings).map(([wing, below]) => ({
    files: [`src/${wing}/**`],
    exempt: ['src/doors/cli/commands/states.ts'],
    forbidden: Object.keys(wings).map((each) => `src/${each}/**`),
    allowed: [wing, ...below].map((each) => `src/${each}/**`),
    reason: 'a wing uses the wings below it',
  })),
  {
    files: ['src/*.ts'],
    forbidden: ['src/*/**'],
    reason: 'the basics know no wing',
  },
  {
    files: ['src/**'],
    forbidden: ['functions/**', 'infra/**', 'aws-cdk-lib{,/**}', 'constructs'],
    allowed: ['infra/*.json'],
    reason: 'src/ knows nothing of how it is deployed',
  },
  {
    files: ['functions/**'],
    forbidden: ['src/doors/cli/**'],
    reason: 'the command is built on src/, never the other way round',
  },
  {
    files: ['infra/**'],
    forbidden: ['src/**', 'functions/**'],
    allowed: [...namesOfDeployments, ...checkedAgents],
    reason: 'infra/ shares names with src/, and the loader that checks agents at synth',
  },
  {
    files: ['src/core/**'],
    forbidden: ['node:*{,/**}', 'lmdb', ...awsSdk],
    // These compute, and reach nothing.
    allowed: ['node:buffer', 'node:crypto', 'node:path', 'node:vm', 'node:zlib'],
    reason: 'the core does no I/O but through the ports handed to it',
  },
  {
    files: ['src/doors/console/**'],
    forbidden: ['src/**', 'node:*{,/**}', 'valibot'],
    allowed: [
      'src/doors/console/**',
      'src/core/reports/words/**',
      'src/{counted,errors,hidden-characters,markdown-tokens,shown-characters,terms}.ts',
    ],
    typesOf: ['src/{core/reports,doors/api}/**'],
    reason:
      'the page runs in a browser: it takes types from the API, and shares words and basics about texts and figures',
  },
  {
    files: ['src/core/reports/words/**'],
    forbidden: ['src/**', 'valibot'],
    allowed: ['src/core/reports/words/**'],
    typesOf: ['src/core/**'],
    reason: 'it is part of the page',
  },
  {
    files: ['src/**', 'functions/**', 'infra/**'],
    exempt: ['src/doors/console/**'],
    forbidden: ['src/doors/console/**'],
    reason: 'the page is served as files',
  },
  {
    files: ['src/asl/**'],
    forbidden: ['src/*.ts'],
    allowed: ['src/{errors,http-origin,json}.ts'],
    reason: 'the interpreter knows no agent, tool or model',
  },
  {
    files: ['src/**'],
    // Only its types, and the SDK itself by await import(), which test/providers/bedrock.test.ts holds.
    exempt: [...adapters, 'src/providers/bedrock/**'],
    forbidden: awsSdk,
    reason: 'only the adapters for the cloud know the AWS SDK',
  },
  {
    files: ['src/**'],
    exempt: adapters,
    forbidden: adapters,
    allowed: [lightInTheCloud],
    statically: true,
    reason: 'the AWS SDK is slow to load and of no use to a local run: await import() its adapters',
  },
  {
    files: ['src/**'],
    exempt: protocolOfTools,
    forbidden: [...protocolOfTools, '@modelcontextprotocol/**'],
    statically: true,
    reason: "the protocol's packages are slow to load and of use to few: await import() what uses them",
  },
  {
    files: ['src/**'],
    exempt: protocolOfAgents,
    forbidden: [...protocolOfAgents, '@a2a-js/**'],
    statically: true,
    reason: "the protocol's package is slow to load and of use to few: await import() what uses it",
  },
  ...providers.map((own) => ({
    files: [own],
    forbidden: ['src/providers/*/**'],
    allowed: [own],
    reason: 'providers share only what lies beside their folders',
  })),
].map(({ files, exempt = [], forbidden, allowed = [], typesOf = [], statically = false, reason }) => ({
  governs: picomatch(files, { ignore: exempt }),
  forbids: picomatch(forbidden, { ignore: allowed }),
  forbidsTypes: picomatch(forbidden, { ignore: [...allowed, ...typesOf] }),
  statically,
  reason,
}));

const importBoundaries = {
  create(context) {
    const file = projectPath(context.filename);
    const governing = boundaries.filter(({ governs }) => governs(file));
    const check = (source, isStatic, isType = false) => {
      if (typeof source?.value !== 'string') return;
      const target = source.value.startsWith('.')
        ? projectPath(join(dirname(context.filename), source.value))
        : source.value;
      for (const { forbids, forbidsTypes, statically, reason } of governing) {
        if ((isStatic || !statically) && (isType ? forbidsTypes : forbids)(target)) {
          context.report({ node: source, message: `${file} may not import ${target}: ${reason}` });
        }
      }
    };
    return {
      ImportDeclaration: ({ source, importKind }) => check(source, true, importKind === 'type'),
      ExportNamedDeclaration: ({ source }) => check(source, true),
      ExportAllDeclaration: ({ source }) => check(source, true),
      ImportExpression: ({ source }) => check(source, false),
    };
  },
};

function projectPath(file) {
  return relative(root, file).replaceAll(sep, '/');
}

/** A suppression reads `oxlint-disable-next-line plugin/rule -- why this is right`. */
const reasonedSuppressions = {
  create({ sourceCode, report }) {
    return {
      Program() {
        for (const comment of sourceCode.getAllComments()) {
          if (/^\s*(oxlint|eslint)-disable(?!.*\s--\s+\S)/s.test(comment.value)) {
            report({ loc: comment.loc, message: 'say why: `-- <reason>` after the names of the rules' });
          }
        }
      },
    };
  },
};

/**
 * A client of the AWS SDK waits for ever unless it is given one of the limits of `src/places/aws/client-limits.ts`, and
 * no request handler in their place.
 */
const limitedClients = {
  create({ report }) {
    const isLimits = (node) => node?.type === 'Identifier' && /^[A-Z]+_LIMITS$/.test(node.name);
    return {
      NewExpression(node) {
        const { callee } = node;
        const { name = '' } = callee.type === 'MemberExpression' ? callee.property : callee;
        if (!/^\w+Client$/.test(name)) return;
        const [given] = node.arguments;
        const { properties = [] } = given ?? {};
        const isLimited = isLimits(given) || properties.some(({ argument }) => isLimits(argument));
        if (isLimited && !properties.some(({ key }) => key?.name === 'requestHandler')) return;
        report({
          node,
          message: `${name} waits for ever: give it CLIENT_LIMITS, or others of client-limits.ts`,
        });
      },
    };
  },
};

export default {
  meta: { name: 'cadre' },
  rules: {
    'import-boundaries': importBoundaries,
    'limited-clients': limitedClients,
    'reasoned-suppressions': reasonedSuppressions,
  },
};
