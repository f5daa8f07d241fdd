import type { PageSignIn } from '../../api/page.ts';
import { beginSignIn, completeSignIn, type PageSession } from '../client/sign-in.ts';
import { tab } from '../client/tab.ts';

/** How often to look whether the person has closed the window, in milliseconds. */
const LOOK_MS = 500;

/**
 * Signs the person in, in a window of its own: a text that is being written in this one stays. Has to begin with a
 * click, since browsers open no windows otherwise.
 * @throws {Error} for a window that was not opened or was closed, and for what the issuer refuses
 */
export async function signInBeside(settings: PageSignIn): Promise<PageSession> {
  const beside = open('', '', 'popup,width=480,height=680');
  if (beside === null) throw new Error('the browser opens no window for it: allow that for this page');
  const returned = returnOf(beside);
  await beginSignIn(
    { ...tab, address: tab.address, leaveFor: (address) => beside.location.assign(address) },
    settings,
  );
  const address = await returned;
  const signedIn = await completeSignIn({ ...tab, address, rename: () => {} });
  if (signedIn === undefined) throw new Error('the issuer sent nothing back');
  if ('fault' in signedIn) throw new Error(signedIn.fault);
  return signedIn;
}

/** @returns the address that the issuer has led to, which the page in the window tells */
async function returnOf(beside: Window): Promise<URL> {
  return new Promise((resolve, reject) => {
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (source !== beside || origin !== location.origin || typeof data !== 'string') return;
      end();
      beside.close();
      resolve(new URL(data));
    };
    const timer = setInterval(() => {
      if (!beside.closed) return;
      end();
      reject(new Error('the window was closed before you were signed in'));
    }, LOOK_MS);
    const end = () => {
      clearInterval(timer);
      removeEventListener('message', onMessage);
    };
    addEventListener('message', onMessage);
  });
}

/** How long a page that was loaded anew meanwhile, and closes no window, is waited for, in milliseconds. */
const ALONE_MS = 10_000;

/** For the window itself: hands the issuer's answer to the page that waits for it. @returns whether there is one */
export function handBack(): boolean {
  if (!/[?&]state=/.test(location.search)) return false;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the DOM's declarations say nothing of it
    const opened = window.opener as Window | null;
    // Throws where it is a page of another site.
    if (opened?.location.origin !== location.origin) return false;
    opened.postMessage(location.href, location.origin);
  } catch {
    return false;
  }
  // The page closes this window once it has the answer: it could take one that closes itself for given up.
  setTimeout(() => window.close(), ALONE_MS);
  return true;
}
