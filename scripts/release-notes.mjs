// Prints what the changelog says about a version: node scripts/release-notes.mjs 0.1.0
import { readFileSync } from 'node:fs';
import { notesOf } from './changelog.mjs';

const [version = ''] = process.argv.slice(2);
const notes = notesOf(readFileSync('CHANGELOG.md', 'utf8'), version);
if (notes === '') {
  console.error(`CHANGELOG.md says nothing about ${version}`);
  process.exitCode = 1;
} else {
  console.log(notes);
}
