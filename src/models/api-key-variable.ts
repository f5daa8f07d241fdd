/** The environment variable that holds a provider's key: `ANTHROPIC_API_KEY`. */
export function apiKeyVariable(provider: string): string {
  return `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;
}
