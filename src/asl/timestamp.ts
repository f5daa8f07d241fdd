/** Date, `T`, time to the minute or finer, and an offset: `2026-03-14T01:59:26.535Z`. */
const PATTERN =
  /^([+-]?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)$/i;

/**
 * Reads a time in the ISO 8601 extended format with offset, which the service demands.
 * @returns milliseconds since the epoch, or undefined if the text is not in that format or names no time
 */
export function parseTimestamp(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset = 'Z'] = match;
  const fields = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields;
  const local = new Date(0);
  local.setUTCFullYear(y, mo - 1, d);
  local.setUTCHours(h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)));
  // JavaScript carries a 30 February over into March.
  const read = [
    local.getUTCFullYear(),
    local.getUTCMonth() + 1,
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ];
  if (read.some((value, index) => value !== fields[index])) return undefined;
  return local.getTime() - offsetMilliseconds(offset);
}

function offsetMilliseconds(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * 1000 * (3600 * hours + 60 * minutes + seconds);
}
