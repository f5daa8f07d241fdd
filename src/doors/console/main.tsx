import { render } from 'preact';
import { App } from './app.tsx';
import { storeSession, takeTokenFromAddress } from './client/session.ts';
import { completeSignIn } from './client/sign-in.ts';
import { tab } from './client/tab.ts';
import { handBack } from './frame/sign-in-beside.ts';
import './palette.css';
import './base.css';

if (!handBack()) {
  takeTokenFromAddress();
  const signedIn = await completeSignIn(tab);
  if (signedIn !== undefined && 'token' in signedIn) storeSession(signedIn);
  const fault = signedIn !== undefined && 'fault' in signedIn ? signedIn.fault : undefined;
  const page = document.getElementById('page');
  if (page !== null) render(<App fault={fault} />, page);
}
