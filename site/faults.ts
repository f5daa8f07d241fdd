import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The most script of a page, with what it loads at once, in bytes. */
const MOST_SCRIPT = 100_000;

/**
 * What is wrong with a site that was built: links and anchors that lead nowhere, and pages with too much script.
 * @param dist its folder
 */
export function faultsIn(dist: string): { faults: string[]; pages: number } {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  );
  const pages = new Map(
    files.map((file) => [
      `/${file.replaceAll('\\', '/').replace(/index\.html$/, '')}`,
      readFileSync(join(dist, file), 'utf8'),
    ]),
  );
  const anchors = new Map(
    [...pages].map(([path, html]) => [
      path,
      new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  );
  const base = `${process.env['SITE_BASE'] ?? ''}/`;
  const faults = [...pages].flatMap(([path, html]) => {
    const dead = linksIn(html).filter((link) => {
      const { host, pathname, hash } = new URL(link, `http://site${base.slice(0, -1)}${path}`);
      if (host !== 'site') return false;
      const to = decodeURI(pathname).slice(base.length - 1);
      if (!pages.has(to)) return !existsSync(join(dist, to));
      return hash !== '' && !anchors.get(to)?.has(decodeURIComponent(hash.slice(1)));
    });
    const script = scriptOf(html, dist, base);
    return [
      ...dead.map((link) => `${path}: ${link} leads nowhere`),
      ...(script > MOST_SCRIPT
        ? [`${path}: ${script} bytes of script, and ${MOST_SCRIPT} are the most`]
        : []),
    ];
  });
  return { faults, pages: pages.size };
}

function linksIn(html: string): string[] {
  return [...html.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => /^(?!mailto:|data:)/.test(link));
}

/** Bytes: of scripts in the page, of those that it loads, and of those that these import. */
function scriptOf(html: string, dist: string, base: string): number {
  const inline = [...html.matchAll(/<script\b(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const seen = new Set<string>();
  const add = (path: string): number => {
    if (seen.has(path)) return 0;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    const imported = [...text.matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/g)];
    return statSync(path).size + imported.reduce((sum, [, to = '']) => sum + add(join(path, '..', to)), 0);
  };
  const loaded = [...html.matchAll(/<script\b[^>]*\ssrc="([^"]+)"/g)];
  return (
    inline.reduce((sum, [, text = '']) => sum + Buffer.byteLength(text), 0) +
    loaded.reduce((sum, [, to = '']) => sum + add(join(dist, to.slice(base.length - 1))), 0)
  );
}
