import { lambdaEndpointUrl } from '../arguments.ts';
import { createStateMachines } from '../../../asl/create-state-machines.ts';
import { checkDefinitionText } from '../../../asl/definition/check-definition.ts';
import type { InvokeLambda } from '../../../asl/executions/ports.ts';
import { listen, type StatesServer } from '../../../asl/server/server.ts';
import { defined } from '../../../defined.ts';

export interface ServeStatesOptions {
  /** 0 for any that is free. */
  port: number;
  /** `127.0.0.1` if left out. */
  host?: string;
  /** Where Lambda's Invoke API is to be found; without it tasks that invoke a function fail. */
  lambdaEndpoint?: string;
  region?: string;
  account?: string;
}

/** `cadre states`: the interpreter as a server that the AWS SDK and CLI can talk to. */
export async function serveStates({
  port,
  host,
  lambdaEndpoint: endpoint,
  ...options
}: ServeStatesOptions): Promise<StatesServer> {
  const invokeLambda = endpoint === undefined ? invokeNothing : await invokeAt(endpoint, options.region);
  const machines = createStateMachines({ ...options, invokeLambda, checkDefinition: checkDefinitionText });
  const { url, close } = await listen(machines, { port, ...defined({ host }) });
  return {
    url,
    close() {
      machines.stopAll('the server was closed');
      return close();
    },
  };
}

const invokeNothing: InvokeLambda = (name) =>
  Promise.reject(new Error(`cannot invoke ${name}: start with --lambda-endpoint <url>`));

async function invokeAt(endpoint: string, region: string | undefined): Promise<InvokeLambda> {
  const { lambdaEndpoint } = await import('../../../asl/resources/lambda-endpoint.ts');
  return lambdaEndpoint(lambdaEndpointUrl(endpoint), region);
}
