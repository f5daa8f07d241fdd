import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { ConfigError } from '../src/errors.ts';
import { GRANTS_FILE } from '../src/places/aws/kept-grants.ts';
import { CadreStack } from './cadre-stack.ts';
import { assertContext } from './assert-context.ts';
import { environmentOf, localAgentsOf } from './written-environments.ts';

try {
  // Once, here: by itself it would synthesise when the process ends, even if a fault was found in it.
  const app = new App({ autoSynth: false });
  assertContext(app);
  const environment = environmentOf(app.node.tryGetContext('env'), app.node.tryGetContext('environments'));
  new CadreStack(app, `cadre-${environment.environment}`, {
    ...environment,
    agentsFolder: join(import.meta.dirname, '../agents'),
    keptGrants: join(import.meta.dirname, '..', GRANTS_FILE),
    localAgents: localAgentsOf(app.node.tryGetContext('localAgents')),
  });
  app.synth();
} catch (error) {
  // A fault that the user can mend is told in a line; anything else is a fault of this program and shows where it is.
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(error.message.replace(/^/gm, 'Error: ') + '\n');
  process.exitCode = 1;
}
