import * as v from 'valibot';
import project from '../../../../package.json' with { type: 'json' };

/** The templates with which `cadre init` can begin a project, beside the files that all of them share. */
export const TEMPLATE_NAMES = [
  'minimal',
  'review',
  'coder',
  'nightly',
  'invoices',
  'support',
  'research',
  'pull-requests',
  'pipeline',
  'migration',
  'chat',
] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

export interface ProjectTemplate {
  /** Where its own files are: `templates/` has parts of projects, `examples/` whole ones with a README of their own. */
  folder: `${'templates' | 'examples'}/${string}`;
  /** Agents that ship with Cadre and become the project's own. */
  agents: readonly string[];
  /** The agents whose tools need a machine, so that they are not deployed. */
  localAgents: readonly string[];
  /** The agent that is tried first, and the command that does so. */
  agent: string;
  try: string;
  /** A sentence for the README of `templates/base`. */
  about?: string;
  /** What it imports that other projects do not need. */
  packages?: readonly Package[];
}

/** A package that projects get in the version that Cadre is tested with. */
type Package = keyof typeof project.devDependencies;

export const TEMPLATES: Readonly<Record<TemplateName, ProjectTemplate>> = {
  minimal: {
    folder: 'templates/minimal',
    agents: [],
    localAgents: [],
    agent: 'hello',
    try: 'npx cadre run hello',
    about: 'The agent `hello` answers questions about this project, and has a tool of its own.',
  },
  review: {
    folder: 'templates/review',
    agents: ['review', 'bugs', 'hazards'],
    localAgents: [],
    agent: 'review',
    try: 'git diff HEAD~1 | npx cadre run review',
    about:
      'The agent `review` reviews a change with two others: `bugs` looks for faults and `hazards` for dangers.',
  },
  coder: {
    folder: 'templates/coder',
    agents: ['coder', 'change-reviewer'],
    localAgents: ['coder'],
    agent: 'coder',
    try: 'ANTHROPIC_API_KEY=… npx cadre run coder -p "make the tests pass"',
    about:
      'The agent `coder` changes the files of the folder in which it runs and runs commands there, without asking. It ' +
      'stays on your machine; `change-reviewer`, which it calls, can be deployed.',
  },
  nightly: {
    folder: 'examples/nightly',
    agents: [],
    localAgents: [],
    agent: 'report',
    try: 'ANTHROPIC_API_KEY=… npx cadre run report -p "Report on today"',
  },
  invoices: {
    folder: 'examples/invoices',
    agents: [],
    localAgents: [],
    agent: 'invoice',
    try: 'ANTHROPIC_API_KEY=… npx cadre run invoice -p "Read this invoice" --attach evals/mill.pdf',
  },
  support: {
    folder: 'examples/support',
    agents: [],
    localAgents: [],
    agent: 'support',
    try: 'ANTHROPIC_API_KEY=… npx cadre run support -p "Ticket 17, from ada@example.com: was I charged twice?"',
  },
  research: {
    folder: 'examples/research',
    agents: [],
    localAgents: [],
    agent: 'research',
    try: 'ANTHROPIC_API_KEY=… npx cadre run research -p "Which Node.js releases get security fixes next year?"',
  },
  'pull-requests': {
    folder: 'examples/pull-requests',
    agents: [],
    localAgents: [],
    agent: 'reviewer',
    try: 'git diff HEAD~1 | ANTHROPIC_API_KEY=… npx cadre run reviewer',
  },
  pipeline: {
    folder: 'examples/pipeline',
    agents: [],
    localAgents: [],
    agent: 'orders',
    try: 'ANTHROPIC_API_KEY=… npx cadre eval evals/orders.toml',
  },
  migration: {
    folder: 'examples/migration',
    agents: [],
    localAgents: ['migrate'],
    agent: 'migrate',
    try: 'ANTHROPIC_API_KEY=… npx cadre eval evals/migrate.toml',
  },
  chat: {
    folder: 'examples/chat',
    agents: [],
    localAgents: [],
    agent: 'rooms',
    try: 'ANTHROPIC_API_KEY=… npx cadre chat rooms',
    packages: ['@ag-ui/client'],
  },
};

/**
 * The project's package.json.
 * @param cadre how npm finds the package: a version, or where it was installed from
 */
export function packageJson(name: string, cadre: string, template: ProjectTemplate): string {
  const needed = needs(cadre, template);
  // esbuild works without the script that npm would ask about.
  return toText({ name, version: '0.1.0', private: true, ...needed, allowScripts: { esbuild: false } });
}

/** What `npm init` writes where there is no test. */
const NO_TEST = 'echo "Error: no test specified" && exit 1';

/** The relevant parts of an existing package.json. */
const Existing = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    type: v.optional(v.string()),
    scripts: v.optional(v.record(v.string(), v.unknown()), {}),
    dependencies: v.optional(v.record(v.string(), v.unknown()), {}),
    devDependencies: v.optional(v.record(v.string(), v.unknown()), {}),
  }),
);

/**
 * The parts that an existing package.json lacks, as JSON; all parts if it cannot be read.
 * @param cadre as for `packageJson`
 * @returns undefined if it lacks nothing
 */
export function missingFrom(text: string, cadre: string, template: ProjectTemplate): string | undefined {
  const wanted = needs(cadre, template);
  const parsed = v.safeParse(Existing, text);
  if (!parsed.success) return toText(wanted);
  const { type, scripts: all, dependencies, devDependencies } = parsed.output;
  const scripts = Object.fromEntries(Object.entries(all).filter(([, script]) => script !== NO_TEST));
  const installed = { ...dependencies, ...devDependencies };
  const missing = {
    ...(type !== wanted.type && { type: wanted.type }),
    ...lacking('scripts', wanted.scripts, scripts),
    ...lacking('dependencies', wanted.dependencies, installed),
    ...lacking('devDependencies', wanted.devDependencies, installed),
  };
  return Object.keys(missing).length === 0 ? undefined : toText(missing);
}

function lacking(key: string, wanted: Record<string, string>, there: Record<string, unknown>) {
  const rest = Object.entries(wanted).filter(([name]) => !Object.hasOwn(there, name));
  return rest.length === 0 ? {} : { [key]: Object.fromEntries(rest) };
}

/** The parts of package.json that the files which `cadre init` writes need. */
function needs(cadre: string, { packages = [] }: ProjectTemplate) {
  const { devDependencies: own } = project;
  const caret = (names: Package[]) => Object.fromEntries(names.map((each) => [each, `^${own[each]}`]));
  return {
    type: 'module',
    // What agents are evaluated with may have tests of its own.
    scripts: { test: 'vitest run --dir test', check: 'tsc && cadre agents check' },
    // esbuild makes one file of each module in tools/, here and when they are deployed.
    dependencies: { cadre, ...caret(['esbuild', ...packages]) },
    devDependencies: caret([
      '@types/node',
      'aws-cdk',
      'aws-cdk-lib',
      'constructs',
      'tsx',
      'typescript',
      'vitest',
    ]),
  };
}

/** The settings of the CDK app; see `CadreEnvironmentProps` for what an environment can set. */
export function cdkJson({ localAgents }: ProjectTemplate): string {
  return toText({
    app: 'node --import tsx infra/app.ts',
    context: {
      localAgents,
      environments: {
        dev: { retainData: false, runDays: 30 },
        prod: { retainData: true, runDays: 365 },
      },
    },
  });
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
