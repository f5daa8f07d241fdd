import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import { MODULES } from './api.ts';
import { decisions, examples, sections, slugOf } from './pages.ts';

const address = process.env['SITE_URL'] || undefined;

/** Has the keyboard reach what is wider than the page. */
const SCROLLABLE = `addEventListener('load', () => {
  for (const each of document.querySelectorAll('table, .picture'))
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
});`;

export default defineConfig({
  // Where the site is put, if that is known: `https://example.org`, and the folder there.
  ...(address !== undefined && { site: address }),
  base: process.env['SITE_BASE'] || '/',
  trailingSlash: 'always',
  // Vite's preloading breaks scripts that it puts into the page, as it does with the search.
  vite: { build: { modulePreload: false, assetsInlineLimit: 0 } },
  integrations: [
    starlight({
      title: 'Cadre',
      description:
        'AI agents that delegate to other agents, on your machine and as AWS Step Functions executions',
      favicon: '/favicon.svg',
      customCss: ['./src/site.css'],
      components: { Search: './src/search.astro' },
      // Lines that are too long go on below: nothing has to be scrolled, with or without a mouse.
      expressiveCode: { defaultProps: { frame: 'none', wrap: true, preserveIndent: false } },
      head: [{ tag: 'script', content: SCROLLABLE }],
      sidebar: [
        ...sections.map(({ title, pages }) => ({ label: title, items: pages.map(toItem) })),
        { label: 'Examples', collapsed: true, items: examples.map(toItem) },
        { label: 'Exports', items: MODULES.map(({ name, path }) => toItem({ title: name, path })) },
        ...decisions.map(({ title, pages }) => ({
          label: `Decisions: ${title.toLowerCase()}`,
          collapsed: true,
          items: pages.map(toItem),
        })),
      ],
    }),
  ],
});

function toItem({ title, path }: { title: string; path: string }) {
  return { label: title, slug: slugOf(path) };
}
