import { render } from 'preact';
import { App } from './app.tsx';
import { takeTokenFromAddress } from './client/token.ts';
import './base.css';

takeTokenFromAddress();
const page = document.getElementById('page');
if (page !== null) render(<App />, page);
