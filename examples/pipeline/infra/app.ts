import { App, Stack } from 'aws-cdk-lib';
import { addPipeline } from './pipeline.ts';

// One stack for each environment in cdk.json: npx cdk deploy -c env=dev
const app = new App();
const { env: environment = 'dev', environments = {}, localAgents = [] } = app.node.getAllContext();
const settings = environments[environment];
if (settings === undefined) throw new Error(`cdk.json has no environment "${environment}"`);

addPipeline(new Stack(app, `{{name}}-${environment}`), { environment, localAgents, ...settings });
