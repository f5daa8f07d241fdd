import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { ConfigError } from '../src/errors.ts';
import { CadreStack } from './cadre-stack.ts';
import { loadDeployedAgents } from './deployed-agents.ts';
import { localAgentsOf, settingsOf } from './environment-settings.ts';
import { stageFunctions } from './staged-functions.ts';

const project = join(import.meta.dirname, '..');

try {
  const app = new App();
  const settings = settingsOf(app.node.tryGetContext('env'), app.node.tryGetContext('environments'));
  const local = localAgentsOf(app.node.tryGetContext('localAgents'));
  const agents = await loadDeployedAgents(project, local, settings.providers);
  for (const { warnings } of agents.values())
    for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  const functionsFolder = join(app.outdir, 'functions');
  const bundles = join(project, 'dist/functions');
  await stageFunctions(functionsFolder, { bundles, agents, verify: settings.verify, project });
  new CadreStack(app, `cadre-${settings.name}`, { settings, agents, functionsFolder });
  app.synth();
} catch (error) {
  // What a user can mend is told in a line; anything else is a fault of this program and shows where it is.
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(error.message.replace(/^/gm, 'Error: ') + '\n');
  process.exitCode = 1;
}
