import { servePage } from './serve-page.ts';

const { CADRE_URL = 'http://localhost:8080', CADRE_TOKEN, PORT = '3000' } = process.env;
await servePage(new URL('/agents/rooms/ag-ui', CADRE_URL), Number(PORT), CADRE_TOKEN);
console.log(`http://localhost:${PORT}`);
