/** The token that requests carry where the server asks for one. It is kept for this tab, and never in an address. */

const KEY = 'cadre-token';
const IN_ADDRESS = /^#token=([^&]+)(?:&(.*))?$/;

export function storedToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function storeToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Takes the token of an address such as `/#token=abc`, and takes it out of the address and of the history. */
export function takeTokenFromAddress(): void {
  const [, token, rest = '/'] = IN_ADDRESS.exec(location.hash) ?? [];
  if (token === undefined) return;
  // Characters that stand for themselves, a % among them, are left as they are.
  storeToken(token.replace(/(?:%[0-7][0-9a-f])+/gi, decodeURIComponent));
  history.replaceState(null, '', `#${rest}`);
}
