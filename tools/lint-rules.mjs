// The project's own rules for oxlint: which part may import which, and that a suppression gives its reason.
import { readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import picomatch from 'picomatch';

const root = join(import.meta.dirname, '..');

/** The rooms of src/ from top to bottom: each uses the rooms below it, never one above. */
const rooms = [
  'cli',
  'library',
  'import',
  'replay',
  'verification',
  'api',
  'pipeline',
  'plan',
  'reports',
  'events',
  'observability',
  'mcp',
  'reach',
  'residents',
  'conversation',
  'steps',
  'tools',
  'workspace',
  'store',
  'executions',
  'memory',
  'agent',
  'config',
  'budget',
  'pricing',
  'models',
  'schedule',
  'runs',
  'machine',
  'asl',
  'toml',
];
const core = ['src/{residents,conversation,steps,tools,agent,runs}/**'];
const cloudAdapters = [
  'src/asl/resources/lambda-endpoint.ts',
  'src/aws-errors.ts',
  'src/{api,executions,library,mcp,models,pipeline,reach,store,verification,workspace}/{cloud,lambda,s3,secret,step-functions}{,-*}.ts',
  'src/store/{dynamodb,s3}/*.ts',
];
const localAdapters = ['src/store/lmdb/*.ts', 'src/{store,workspace}/folder-*.ts'];
const awsSdk = ['@aws-sdk/**', '@smithy/**'];
const providers = readdirSync(join(root, 'src/models'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => `src/models/${entry.name}/**`);

const namesOfDeployments = [
  'src/{deployment,environment,errors,nearest}.ts',
  'src/models/provider-settings.ts',
  'src/runs/{run-id,secrets}.ts',
  'src/schedule/schedule.ts',
  'src/store/dynamodb/attributes.ts',
];
const checkedAgents = [
  'src/agent/{agent-name,agent-source,check-agent,load-agent}.ts',
  'src/verification/{agents,packed-scripts}.ts',
  'src/workspace/{agent-folders,bundle-module,module-file,packed-agents,skill-file}.ts',
];

/**
 * Files matching `files` (less `exempt`) import nothing that matches `forbidden` (less `allowed`). Paths start
 * at the project's root, packages go by their name. With `statically`, `await import()` is free. `import type` from what
 * matches `typesOf` is, too.
 */
const boundaries = [
  {
    files: ['src/**'],
    forbidden: ['functions/**', 'infra/**', 'aws-cdk-lib{,/**}', 'constructs'],
    allowed: ['infra/*.json'],
    reason: 'src/ knows nothing of how it is deployed',
  },
  {
    files: ['functions/**'],
    forbidden: ['src/cli/**'],
    reason: 'the command is built on src/, never the other way round',
  },
  ...rooms.map((room, index) => ({
    files: [`src/${room}/**`],
    forbidden: rooms.slice(0, index).map((above) => `src/${above}/**`),
    reason: 'a room uses the rooms below it',
  })),
  {
    files: ['infra/**'],
    forbidden: ['src/**', 'functions/**'],
    allowed: [...namesOfDeployments, ...checkedAgents],
    reason: 'infra/ shares names with src/, and the loader that checks agents at synth',
  },
  {
    files: core,
    forbidden: [
      'node:*{,/**}',
      'lmdb',
      ...awsSdk,
      ...cloudAdapters,
      ...localAdapters,
      'src/{asl,config,executions,mcp,models,reach,workspace}/**',
    ],
    allowed: [
      'node:crypto',
      'node:path',
      'node:vm',
      'src/executions/{executions,wake}.ts',
      'src/models/model{,-*}.ts',
    ],
    reason: 'the core does no I/O but through the ports handed to it',
  },
  {
    files: ['src/console/**'],
    forbidden: ['src/**', 'node:*{,/**}', 'valibot'],
    allowed: ['src/console/**'],
    typesOf: ['src/{api,reports}/**'],
    reason: 'the page runs in a browser, and takes only types from the API',
  },
  {
    files: ['src/**', 'functions/**', 'infra/**'],
    exempt: ['src/console/**'],
    forbidden: ['src/console/**'],
    reason: 'the page is served as files',
  },
  {
    files: ['src/asl/**'],
    forbidden: ['src/**'],
    allowed: ['src/asl/**', 'src/errors.ts', 'src/json.ts'],
    reason: 'the interpreter knows no agent, tool or model',
  },
  {
    files: ['src/**'],
    // Only its types, and the SDK itself by await import(), which test/models/bedrock.test.ts holds.
    exempt: [...cloudAdapters, 'src/models/bedrock/**'],
    forbidden: awsSdk,
    reason: 'only the adapters for the cloud know the AWS SDK',
  },
  {
    files: ['src/**'],
    exempt: cloudAdapters,
    forbidden: cloudAdapters,
    statically: true,
    reason: 'the AWS SDK is slow to load and of no use to a local run: await import() its adapters',
  },
  {
    files: ['src/**'],
    exempt: ['src/mcp/client/**', 'src/api/mcp/**'],
    forbidden: ['src/mcp/client/**', 'src/api/mcp/**', '@modelcontextprotocol/**'],
    statically: true,
    reason: "the protocol's packages are slow to load and of use to few: await import() what uses them",
  },
  ...providers.map((own) => ({
    files: [own],
    forbidden: ['src/models/*/**'],
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

export default {
  meta: { name: 'cadre' },
  rules: { 'import-boundaries': importBoundaries, 'reasoned-suppressions': reasonedSuppressions },
};
