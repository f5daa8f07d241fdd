/** What requests carry where the server asks for a token. It is kept for this tab, and never in an address. */

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
  storeToken(decodeURIComponent(token));
  history.replaceState(null, '', `#${rest}`);
}
