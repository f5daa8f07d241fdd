// Makes the site's pages of the documents in the repository, which stay as they are on a code host.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { FRONT_PAGE, sectionsOf } from '../scripts/documents/contents.ts';
import { withWays } from '../scripts/documents/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = join(import.meta.dirname, 'src/content/docs');
const PALETTE = join(import.meta.dirname, 'src/palette.css');
const FILES = join(import.meta.dirname, 'public');
const DECISIONS = 'docs/decisions/README.md';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The sections of the documentation, as its first page lists them. */
export const sections = sectionsOf(read(FRONT_PAGE), FRONT_PAGE);
/** Those of the decisions, which are many. */
export const decisions = sectionsOf(read(DECISIONS), DECISIONS);

/** What the examples say of themselves. */
export const examples = readdirSync(join(ROOT, 'examples'))
  .map((name) => `examples/${name}/README.md`)
  .map((path) => ({ title: titleOf(read(path)), path }));

/** Everything that becomes a page. */
const documents = new Set([
  FRONT_PAGE,
  ...[...sections, ...decisions].flatMap(({ pages }) => pages.map(({ path }) => path)),
  ...examples.map(({ path }) => path),
]);

/** What a document is called in the address of its page: `docs/decisions/skills.md` is `decisions/skills`. */
export function slugOf(path: string): string {
  if (path === FRONT_PAGE) return 'index';
  const name = path.replace(/\.md$/, '').replace(/\/README$/, '');
  if (name.startsWith('examples/')) return name;
  return name.startsWith('docs/') ? name.slice('docs/'.length) : `project/${name.toLowerCase()}`;
}

/**
 * Writes all pages, and copies what else documents lead to.
 * @param others documents that are written for the site alone
 */
export function writePages(others: readonly { path: string; text: string }[]): void {
  rmSync(PAGES, { recursive: true, force: true });
  rmSync(FILES, { recursive: true, force: true });
  const own = [...documents].map((path) => ({ path, text: read(path) }));
  for (const { path } of others) documents.add(path);
  for (const { path, text } of [...own, ...others])
    write(join(PAGES, `${slugOf(path)}.md`), toPage(path, text));
  cpSync(join(import.meta.dirname, 'favicon.svg'), join(FILES, 'favicon.svg'));
  // Readers choose the theme here, and it begins as their system has it.
  const palette = read('src/doors/console/palette.css');
  write(PALETTE, palette.replace(/@media .*\n {2}:root (\{[^}]*\})\n\}/, ":root[data-theme='dark'] $1"));
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? '';
}

function toPage(path: string, text: string): string {
  const title = titleOf(text);
  const body = begun(path, text.slice(text.indexOf('\n')));
  const head = JSON.stringify({ title, ...(path === FRONT_PAGE && { tableOfContents: false }) });
  const linked = withWays(drawn(path, body), (target) => toAddress(path, target));
  return `---\n${head}\n---\n${linked}`;
}

/** The README of an example is read in a project that was begun with it: here, that comes first. */
function begun(path: string, text: string): string {
  const [, name] = /^examples\/([\w-]+)\//.exec(path) ?? [];
  return text.replace(
    '```sh\nnpm install\n',
    `\`\`\`sh\ncadre init ${name} --template ${name} && cd ${name}\nnpm install\n`,
  );
}

/** With pictures that follow the theme of the site: drawings as a part of the page, others light and dark. */
function drawn(path: string, text: string): string {
  return text
    .replaceAll(/^!\[[^\]]*\]\((\S+\.svg)\)$/gm, (_, target: string) => {
      const svg = read(posix.join(posix.dirname(path), target)).replace(/<style>[\s\S]*<\/style>\n/, '');
      return `<div class="picture">\n${svg}</div>`;
    })
    .replaceAll(
      /<picture>\s*<source [^>]*srcset="([^"]+)" ?\/?>\s*<img (alt="[^"]*")\s+src="([^"]+)" ?\/?>\s*<\/picture>/g,
      '<img class="in-light" $2 src="$3"><img class="in-dark" $2 src="$1">',
    );
}

/** The address of what a link in a document leads to, relative to its page. */
function toAddress(from: string, target: string): string {
  if (/^(https?:|mailto:|#)/.test(target)) return target;
  const [way = '', anchor] = target.split('#');
  const led = posix.join(posix.dirname(from), way);
  // The README of the repository says what the front page says.
  const to =
    led === 'README.md'
      ? FRONT_PAGE
      : existsSync(join(ROOT, led, 'README.md'))
        ? posix.join(led, 'README.md')
        : led;
  const up = slugOf(from) === 'index' ? './' : '../'.repeat(slugOf(from).split('/').length);
  const end = anchor === undefined ? '' : `#${anchor}`;
  if (documents.has(to)) return `${up}${slugOf(to) === 'index' ? '' : `${slugOf(to)}/`}${end}`;
  mkdirSync(dirname(join(FILES, to)), { recursive: true });
  cpSync(join(ROOT, to), join(FILES, to), { recursive: true });
  return `${up}${to}`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
