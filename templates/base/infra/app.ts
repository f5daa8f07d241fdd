import { App, Stack } from 'aws-cdk-lib';
import { CadreEnvironment, ConfigError } from 'cadre/cdk';

// What is wrong with the configuration is told in a line, without the place in a program that found it.
process.on('uncaughtException', (error) => {
  console.error(error instanceof ConfigError ? `Error: ${error.message}` : error);
  process.exit(1);
});

// One stack for each environment in cdk.json: npx cdk deploy -c env=dev
const app = new App();
const { env: environment = 'dev', environments = {}, localAgents = [] } = app.node.getAllContext();
const settings = environments[environment];
if (settings === undefined) throw new ConfigError(`cdk.json has no environment "${environment}"`);

const stack = new Stack(app, `{{name}}-${environment}`);
new CadreEnvironment(stack, 'Cadre', { environment, localAgents, ...settings });
