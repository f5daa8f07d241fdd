const assert = require('node:assert');
const { test } = require('node:test');
const { round } = require('./pay.js');

test('amounts have two digits', () => assert.strictEqual(round(1.006), 1.01));
