import { App, Stack } from 'aws-cdk-lib';
import { CadreEnvironment } from 'cadre/cdk';

// One stack for each environment in cdk.json: npx cdk deploy -c env=dev
const app = new App();
const { env: environment = 'dev', environments = {}, localAgents = [] } = app.node.getAllContext();
const settings = environments[environment];
if (settings === undefined) throw new Error(`cdk.json has no environment "${environment}"`);

const stack = new Stack(app, `{{name}}-${environment}`);
new CadreEnvironment(stack, 'Cadre', { environment, localAgents, ...settings });
