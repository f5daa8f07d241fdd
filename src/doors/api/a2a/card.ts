import type { AgentCard } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import { findAgent } from '../agents.ts';
import type { ApiContext } from '../context.ts';
import { A2A_PATH } from '../door-paths.ts';

/** The version of the protocol that is spoken here, beside the one before it. */
const VERSION = '1.0';

const INPUT_MODES = ['text/plain', 'application/json', 'image/*', 'application/pdf'];

/**
 * What clients learn about an agent before they write to it.
 * @param origin of the address at which they found the card
 * @throws {Problem} 404 if there is no such agent, 422 if its file is wrong
 */
export async function agentCard(name: string, origin: string, context: ApiContext): Promise<AgentCard> {
  const { description, output } = await findAgent(name, context.source);
  const { streams, issuer } = context;
  const openApi = await import('../../../../schemas/openapi.json', { with: { type: 'json' } });
  const at = { url: `${origin}${A2A_PATH}/${name}`, protocolBinding: 'JSONRPC', tenant: '' };
  const outputModes = [output === undefined ? 'text/plain' : 'application/json'];
  return {
    name,
    description,
    supportedInterfaces: [
      { ...at, protocolVersion: VERSION },
      { ...at, protocolVersion: A2A_LEGACY_PROTOCOL_VERSION },
    ],
    provider: undefined,
    version: openApi.default.info.version,
    capabilities: { streaming: streams, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    ...security(issuer),
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: outputModes,
    skills: [
      {
        id: name,
        name,
        description,
        tags: [],
        examples: [],
        inputModes: INPUT_MODES,
        outputModes,
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}

/** Where tokens come from; elsewhere, whoever serves the agent has told its callers how to sign in. */
function security(issuer: string | undefined): Pick<AgentCard, 'securityRequirements' | 'securitySchemes'> {
  if (issuer === undefined) return { securitySchemes: {}, securityRequirements: [] };
  const openIdConnectUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const value = { description: '', openIdConnectUrl };
  return {
    securitySchemes: { issuer: { scheme: { $case: 'openIdConnectSecurityScheme', value } } },
    securityRequirements: [{ schemes: { issuer: { list: [] } } }],
  };
}
