import { render } from 'preact';
import { App } from './app.tsx';
import { storeToken, takeTokenFromAddress } from './client/token.ts';
import { completeSignIn } from './sign-in.ts';
import { tab } from './tab.ts';
import './base.css';

takeTokenFromAddress();
const signedIn = await completeSignIn(tab);
if (signedIn !== undefined && 'token' in signedIn) storeToken(signedIn.token);
const fault = signedIn !== undefined && 'fault' in signedIn ? signedIn.fault : undefined;
const page = document.getElementById('page');
if (page !== null) render(<App fault={fault} />, page);
