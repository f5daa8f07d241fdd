import { Annotations } from 'aws-cdk-lib';
import { FunctionUrlAuthType, InvokeMode, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { A2A_AGENT, DOOR_TOKENS, ENVIRONMENT, type DoorTokens } from '../src/places/aws/variables.ts';
import { ANSWER_SCOPES } from './api.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { Functions } from './functions.ts';

/** The scope of an administrator's token, unless the environment names others. */
const ADMIN_SCOPES = ['cadre/admin'];

/** Tells functions whose tokens the environment takes, and who of their bearers is an administrator. */
export function tellIssuer({ jwt }: EnvironmentSettings, { open, servers, watch }: Functions): void {
  if (jwt === undefined) return;
  const { issuer, adminScopes = ADMIN_SCOPES } = jwt;
  for (const one of [open, watch, ...servers]) one.addEnvironment(ENVIRONMENT.issuer, issuer);
  if (adminScopes.length === 0) return;
  for (const server of [watch, ...servers])
    server.addEnvironment(ENVIRONMENT.adminScopes, adminScopes.join(' '));
}

/**
 * Gives the doors an address that streams, for the callers of the API: those who sign as IAM principals, or those with a
 * token. No service in front of a function URL checks tokens, so that the doors do it themselves.
 */
export function addDoorsUrl(
  doors: LambdaFunction,
  { name, jwt, apiConcurrency, serve }: EnvironmentSettings,
): string {
  if (jwt !== undefined && apiConcurrency === 0) {
    Annotations.of(doors).addWarningV2(
      'cadre:doors',
      `anybody can invoke the doors of environment "${name}", and they may take every function of the account: set apiConcurrency`,
    );
  }
  if (jwt !== undefined) {
    const { issuer, audience, scopes, answerScopes = ANSWER_SCOPES } = jwt;
    const tokens: DoorTokens = { issuer, audience, scopes, answerScopes };
    doors.addEnvironment(DOOR_TOKENS, JSON.stringify(tokens));
  }
  if (serve?.a2a !== undefined) doors.addEnvironment(A2A_AGENT, serve.a2a);
  return doors.addFunctionUrl({
    authType: jwt === undefined ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
  }).url;
}
