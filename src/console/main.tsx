import { render } from 'preact';
import { App } from './app.tsx';
import { takeTokenFromAddress } from './client/token.ts';
import { completeSignIn } from './sign-in.ts';
import './base.css';

takeTokenFromAddress();
const fault = await completeSignIn();
const page = document.getElementById('page');
if (page !== null) render(<App fault={fault} />, page);
