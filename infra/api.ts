import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EVENT_ROUTES, ROUTES } from '../src/doors/api/routes.ts';
import { ANSWER_LINKS, ENVIRONMENT, SIGN_IN_PATHS } from '../src/places/aws/variables.ts';
import { tellsAnybody } from '../src/places/notify/settings.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseLog } from './house-log.ts';
import { addPageRoutes } from './page-routes.ts';

export interface ApiProps {
  settings: EnvironmentSettings;
  handler: LambdaFunction;
  /** Serves those who follow runs. */
  watch: LambdaFunction;
}

/** The scope that a token needs to answer questions, unless the environment names others. */
export const ANSWER_SCOPES = ['cadre/answer'];
/** The same for adding to the budget of a run. */
const BUDGET_SCOPES = ['cadre/budget'];
/**
 * The HTTP API. None of its routes is open but those of the page's files: requests are signed by IAM principals, or carry
 * a token of the issuer that the environment names. Answering questions and adding to budgets are routes of their own,
 * so that each is a permission of its own: for IAM by its ARN, for tokens by its scopes. Following runs has routes of
 * its own, too, with a function and limits of their own.
 */
export class Api extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  /** `https://…`, without a path. */
  readonly url: string;
  readonly #handler: LambdaFunction;
  readonly #integration: HttpLambdaIntegration;

  constructor(scope: Construct, id: string, { settings, handler, watch }: ApiProps) {
    super(scope, id);
    const { jwt, apiModels } = settings;
    if (apiModels.length > 0) handler.addEnvironment(ENVIRONMENT.apiModels, apiModels.join(','));
    const integration = new HttpLambdaIntegration('Handler', handler);
    this.#handler = handler;
    this.#integration = integration;
    this.api = new HttpApi(this, 'HttpApi', {
      apiName: settings.stem,
      createDefaultStage: false,
      defaultIntegration: integration,
      defaultAuthorizer:
        jwt === undefined
          ? new HttpIamAuthorizer()
          : new HttpJwtAuthorizer('Jwt', jwt.issuer, { jwtAudience: jwt.audience }),
      ...(jwt?.scopes !== undefined && { defaultAuthorizationScopes: jwt.scopes }),
    });
    const { scopes, answerScopes = ANSWER_SCOPES, budgetScopes = BUDGET_SCOPES } = jwt ?? {};
    this.api.addRoutes({
      path: '/runs/{id}/questions/{question}/answer',
      methods: [HttpMethod.POST],
      integration,
      ...(jwt !== undefined && { authorizationScopes: answerScopes }),
    });
    this.api.addRoutes({
      path: '/runs/{id}/budget',
      methods: [HttpMethod.POST],
      integration,
      ...(jwt !== undefined && { authorizationScopes: budgetScopes }),
    });
    // Callers that may answer, and no others, see the open questions.
    this.api.addRoutes({
      path: '/questions',
      methods: [HttpMethod.GET],
      integration,
      ...(scopes !== undefined && { authorizationScopes: [...scopes, ...answerScopes] }),
    });
    const following = new HttpLambdaIntegration('Watch', watch);
    const events = EVENT_ROUTES.flatMap((name) =>
      this.api.addRoutes({ path: ROUTES[name].path, methods: [HttpMethod.GET], integration: following }),
    );
    if (settings.console && jwt !== undefined) {
      addPageRoutes({ environment: settings.name, api: this.api, integration, handler, jwt, answerScopes });
    }
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      // Far above what people do and far below what a mistake costs: a request starts a run at most.
      throttle: { rateLimit: 50, burstLimit: 100 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new HouseLog(this, 'AccessLog', `${settings.path}/api-access`, settings),
        ),
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: '$context.requestId',
            caller: '$context.identity.caller',
            ip: '$context.identity.sourceIp',
            method: '$context.httpMethod',
            // The secret of an answer link is a part of its path.
            ...(tellsAnybody(settings.notify) ? { route: '$context.routeKey' } : { path: '$context.path' }),
            status: '$context.status',
            latencyMs: '$context.responseLatency',
            error: '$context.error.message',
          }),
        ),
      },
    });
    limitRoutes(
      this.stage,
      events,
      EVENT_ROUTES.map((name) => `GET ${ROUTES[name].path}`),
      FOLLOWED,
    );
    this.url = this.api.apiEndpoint;
  }

  /** Has the API serve the address that people come back to who sign in to servers, which does nothing by itself. */
  openCallback(): void {
    for (const path of Object.values(SIGN_IN_PATHS)) {
      this.api.addRoutes({
        path,
        methods: [HttpMethod.GET],
        integration: this.#integration,
        authorizer: new HttpNoneAuthorizer(),
        // Not those of all other routes.
        authorizationScopes: [],
      });
    }
  }

  /** Has the API serve answer links, whose addresses are all that it takes to use them. */
  openAnswers(): void {
    this.#handler.addEnvironment(ANSWER_LINKS, 'true');
    const routes = this.api.addRoutes({
      path: '/answer/{token}',
      methods: [HttpMethod.GET, HttpMethod.POST],
      integration: this.#integration,
      authorizer: new HttpNoneAuthorizer(),
      // Not those of all other routes.
      authorizationScopes: [],
    });
    limitRoutes(this.stage, routes, ['GET /answer/{token}', 'POST /answer/{token}'], ANSWERED);
  }
}

/** Each client that follows a run asks again after every answer, of which there is about one a second at most. */
const FOLLOWED = { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 200 };
/** People answer now and then. Guessing gets nowhere at any rate: a token has 256 bits. */
const ANSWERED = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 20 };

/** Gives routes limits of their own, each of which no other request counts towards. */
function limitRoutes(
  stage: HttpStage,
  routes: readonly HttpRoute[],
  keys: readonly string[],
  limits: typeof FOLLOWED,
): void {
  const resource = stage.node.defaultChild;
  if (!(resource instanceof CfnStage)) throw new TypeError('a stage has a resource');
  for (const key of keys) resource.addPropertyOverride(`RouteSettings.${key}`, limits);
  // A stage cannot name routes that are not there yet.
  stage.node.addDependency(...routes);
}
