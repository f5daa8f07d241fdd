import { storedSession } from './session.ts';

/** How records name the reader of this page: by the subject of their token, or as the API where it takes none. */
export function me(): string {
  const [, payload] = storedSession()?.token.split('.') ?? [];
  return (payload && subjectIn(payload)) ?? 'the API';
}

function subjectIn(payload: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return undefined;
    return typeof claims.sub === 'string' ? claims.sub : undefined;
  } catch {
    return undefined; // a token that is no JWT names no person
  }
}
