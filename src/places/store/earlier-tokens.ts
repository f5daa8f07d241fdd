/** So many earlier tokens are kept: a state is hardly ever attempted more than twice at the same time. */
const MOST = 2;

/** What waits by a task token. The function that writes last may be a slow one, whose state waits no more. */
export interface TokenWait {
  token: string;
  /** Tokens that were left before, and may be the one that counts; absent: none. */
  earlier?: string[];
}

/** @param kept what was stored before */
export function withEarlier<W extends TokenWait>(wait: W, kept: TokenWait | undefined): W {
  const earlier = tokensOf(kept).filter((token) => token !== wait.token);
  return earlier.length === 0 ? wait : { ...wait, earlier: earlier.slice(0, MOST) };
}

/** All that may count; those of waits that are over are empty. */
export function tokensOf({ token, earlier = [] }: TokenWait = { token: '' }): string[] {
  return [token, ...earlier].filter((each) => each !== '');
}
