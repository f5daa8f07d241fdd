import type { Tab } from './sign-in.ts';

/** The tab that this page is in. */
export const tab: Tab = {
  get address() {
    return new URL(location.href);
  },
  get kept() {
    return sessionStorage;
  },
  leaveFor: (address) => location.assign(address),
  rename: (address) => history.replaceState(null, '', address),
};
