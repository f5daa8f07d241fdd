const HEADING = /^## .*$/gm;
const UNRELEASED = '## Unreleased';

/**
 * What the changelog says about one version, without its heading.
 * @param {string} changelog
 * @param {string} version `0.1.0`, or `Unreleased`
 * @returns {string} '' if it says nothing about it
 */
export function notesOf(changelog, version) {
  const headings = [...changelog.matchAll(HEADING)];
  const at = headings.findIndex(([heading]) => heading.split(' ')[1] === version);
  if (at < 0) return '';
  const [{ index, 0: heading }, next] = headings.slice(at);
  return changelog.slice(index + heading.length, next?.index).trim();
}

/**
 * The changelog with everything unreleased under a version, and an empty section for what comes next.
 * @param {string} changelog
 * @param {string} version
 * @param {string} date as ISO 8601 has it
 * @returns {string}
 */
export function cut(changelog, version, date) {
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} (${date})`);
}
