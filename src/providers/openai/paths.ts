/** Where a server has the calls of OpenAI's protocol. */
export interface Paths {
  /** The part of the address before them. */
  baseUrl: string;
  chat(model: string): string;
  responses: string;
  batches: string;
  files: string;
  embeddings(model: string): string;
}

/**
 * Most servers give their base URL with a version in it, at its end or before; one without any has the calls below
 * `/v1`. Azure has them below `/openai`, and in its dated API the model in the path.
 */
export function toPaths(given: string, { isAzure = false, apiVersion = '' } = {}): Paths {
  const base = given.replace(/\/+$/, '');
  if (apiVersion !== '') {
    const query = `?api-version=${encodeURIComponent(apiVersion)}`;
    return {
      baseUrl: base.replace(/\/openai(\/v1)?$/, ''),
      chat: (model) => `/openai/deployments/${encodeURIComponent(model)}/chat/completions${query}`,
      responses: `/openai/responses${query}`,
      batches: `/openai/batches${query}`,
      files: `/openai/files${query}`,
      embeddings: (model) => `/openai/deployments/${encodeURIComponent(model)}/embeddings${query}`,
    };
  }
  const withoutVersion = base.replace(/\/v1$/, '');
  const baseUrl =
    isAzure && !withoutVersion.endsWith('/openai') ? `${withoutVersion}/openai` : withoutVersion;
  const version = /\/v\d[^/]*(\/|$)/.test(new URL(baseUrl).pathname) ? '' : '/v1';
  return {
    baseUrl,
    chat: () => `${version}/chat/completions`,
    responses: `${version}/responses`,
    batches: `${version}/batches`,
    files: `${version}/files`,
    embeddings: () => `${version}/embeddings`,
  };
}
