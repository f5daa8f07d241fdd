import { HttpMethod, HttpNoneAuthorizer, type HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ENVIRONMENT, PAGE_PATHS } from '../src/places/aws/variables.ts';
import type { JwtProps } from './environment-props.ts';

export interface PageRoutes {
  /** Its name, which the page shows. */
  environment: string;
  api: HttpApi;
  integration: HttpLambdaIntegration;
  handler: LambdaFunction;
  jwt: JwtProps;
  /** The scopes of a token that the API wants for answers. */
  answerScopes: readonly string[];
}

/** Has the API serve the page: its files to every caller, so that people can sign in, and nothing else. */
export function addPageRoutes({
  environment,
  api,
  integration,
  handler,
  jwt,
  answerScopes,
}: PageRoutes): void {
  const { issuer, audience, scopes = [], budgetScopes = [], adminScopes = [], clientId = audience[0] } = jwt;
  const signIn = {
    environment,
    issuer,
    clientId,
    // Issuers refuse scopes that they do not know: those of budgets and of administrators are asked for only if the
    // settings name them.
    scope: [...new Set(['openid', ...scopes, ...answerScopes, ...budgetScopes, ...adminScopes])].join(' '),
    // Providers that give tokens for several APIs want to know for which.
    ...(clientId !== audience[0] && { audience: audience[0] }),
  };
  handler.addEnvironment(ENVIRONMENT.signIn, JSON.stringify(signIn));
  for (const path of PAGE_PATHS) {
    api.addRoutes({
      path: path.replace(/:(\w+)/, '{$1}'),
      methods: [HttpMethod.GET],
      integration,
      authorizer: new HttpNoneAuthorizer(),
      // Not those of all other routes.
      authorizationScopes: [],
    });
  }
}
