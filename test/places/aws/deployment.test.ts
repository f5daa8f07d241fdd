import { describe, expect, test } from 'vitest';
import {
  environmentName,
  environmentPath,
  environmentStem,
  moduleFunctionName,
} from '../../../src/places/aws/deployment.ts';

describe('the names of an environment', () => {
  test.each([
    [undefined, 'dev', '/cadre/dev', 'cadre-dev'],
    ['cadre', 'dev', '/cadre/dev', 'cadre-dev'],
    ['shop', 'shop/dev', '/shop/dev', 'shop-dev'],
  ])('follow from its prefix: %s', (prefix, name, path, stem) => {
    expect(environmentName('dev', prefix)).toBe(name);
    expect([environmentPath(name), environmentStem(name)]).toEqual([path, stem]);
    expect(moduleFunctionName(name, 'weather')).toBe(`${stem}-fn-weather`);
  });

  test('are never those of another: a prefix has no hyphen, where an environment may', () => {
    expect(environmentStem(environmentName('a-b', 'shop'))).toBe('shop-a-b');
    expect(() => environmentName('b', 'shop-a')).toThrow('invalid prefix "shop-a"');
  });

  test.each(['', 'x', 'Shop', '1st', 'awsome', 'ssmith', 'x'.repeat(17)])(
    'refuse the prefix %j',
    (prefix) => {
      expect(() => environmentName('dev', prefix)).toThrow(
        `invalid prefix "${prefix}": use 2 to 16 lower-case letters and digits, a letter first, but neither aws nor ssm at the beginning`,
      );
    },
  );

  test.each(['shop/', 'shop/Dev', 'shop/a/b'])('refuse %j', (name) => {
    const [prefix, ...environment] = name.split('/');
    expect(() => environmentName(environment.join('/'), prefix)).toThrow(
      `invalid environment name "${name}"`,
    );
  });
});
