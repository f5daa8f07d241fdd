import { describe, expect, it } from 'vitest';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { fillIn } from '../../../src/core/records/secrets.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { startToolServer, toolServer } from '../../fixtures/tool-server.ts';

const CONFIG = '[providers.acme]\nprotocol = "openai"\n[providers.my-own]\nprotocol = "openai"\n';
const ADVICE =
  'it is for models and AWS, and is given to no server or function; keep the value under another name';

/** A user with two providers of their own, whose keys are in the environment, and what their agents may use. */
async function sourcesOfUser() {
  const cwd = await tempFolder({ 'config/cadre/config.toml': `${CONFIG}[secrets]\nACME_API_KEY = "k"\n` });
  const env = {
    PATH: process.env['PATH'],
    XDG_CONFIG_HOME: `${cwd}/config`,
    CADRE_TRUST: '1',
    ACME_API_KEY: 'canary',
    MY_OWN_API_KEY: 'canary',
    OTHER_API_KEY: 'other',
  };
  return localSources({ cwd, env });
}

describe('the key of a provider that the user has set up', () => {
  it.each(['ACME_API_KEY', 'MY_OWN_API_KEY', 'OPENAI_API_KEY', 'AWS_PROFILE', 'CADRE_TOKEN', 'acme_api_key'])(
    'is given to no server and no function: %s',
    async (name) => {
      const { secrets, servers } = await sourcesOfUser();
      const needs = `needs the secret ${name}: ${ADVICE}`;
      await expect(fillIn({ A: `x \${${name}}` }, 'function "f"', secrets)).rejects.toThrow(
        `function "f" ${needs}`,
      );
      const written = { A: `Bearer \${${name}}` };
      const far = toolServer(await startToolServer('legacy'));
      if (far.reach.kind === 'url') far.reach.headers = written;
      const near = toolServer({ args: ['--legacy'] });
      if (near.reach.kind === 'command') near.reach.env = written;
      await expect(servers.list(far)).rejects.toThrow(`server "docs" ${needs}`);
      await expect(servers.list(near)).rejects.toThrow(`server "docs" ${needs}`);
    },
  );

  it('is told apart from keys of others', async () => {
    const { secrets } = await sourcesOfUser();
    expect(await secrets.secret('OTHER_API_KEY')).toBe('other');
    expect(await secrets.secret('THIRD_API_KEY')).toBeUndefined();
    expect(secrets.howToGive('THIRD_API_KEY')).toBe(
      'set THIRD_API_KEY in the environment, or in [secrets] of config.toml',
    );
  });
});
